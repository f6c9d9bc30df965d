import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface HeadingProps {
  readonly name: string;
  readonly icon?: IconName;
  /** What it is, in a word each. */
  readonly badges?: readonly string[];
  /** What can be done with it. */
  readonly children?: ComponentChildren;
}

/** The title of a view, which takes the focus when the view is entered. */
export function Heading({ name, icon, badges = [], children }: HeadingProps) {
  return (
    <div class="head">
      <div class="title">
        {icon !== undefined && <Icon name={icon} />}
        <h1 tabIndex={-1}>{name}</h1>
        {badges.map((text) => (
          <span key={text} class="badge">
            {text}
          </span>
        ))}
      </div>
      {children}
    </div>
  );
}
