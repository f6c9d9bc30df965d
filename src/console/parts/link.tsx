import type { ComponentChildren } from "preact";
import { addressOf, follows, go } from "../navigation.ts";
import type { Route } from "../route.ts";

interface LinkProps {
  readonly to: Route;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isCurrent?: boolean;
  /** How the view is looked at there. */
  readonly look?: Readonly<Record<string, string>>;
  /** What it is called, where it is drawn in parts. */
  readonly label?: string;
}

export function Link({ to, children, class: name, isCurrent = false, label, look }: LinkProps) {
  return (
    <a
      href={addressOf(to, look)}
      class={name}
      aria-label={label}
      title={label}
      aria-current={isCurrent ? "page" : undefined}
      onClick={(event) => {
        if (!follows(event)) return;
        event.preventDefault();
        go(to, look);
      }}
    >
      {children}
    </a>
  );
}
