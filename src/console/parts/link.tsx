import type { ComponentChildren } from "preact";
import { follows, go } from "../navigation.ts";
import { pathOf, type Route } from "../route.ts";

interface LinkProps {
  readonly to: Route;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isCurrent?: boolean;
}

export function Link({ to, children, class: name, isCurrent = false }: LinkProps) {
  return (
    <a
      href={pathOf(to)}
      class={name}
      aria-current={isCurrent ? "page" : undefined}
      onClick={(event) => {
        if (!follows(event)) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
