import type { ComponentChildren } from "preact";

/** Name and value; `wide` of a value that wants a line to itself. */
export type Fact = readonly [name: string, value: ComponentChildren, room?: "wide"];

/** Names and values. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value, room]) => (
        <div key={name} class={room}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A figure in large, with its name. */
export function Figure({
  name,
  value,
  note,
}: {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
}) {
  return (
    <div class="figure">
      <span class="value">{value}</span>
      <span class="name">{name}</span>
      {note !== undefined && <span class="dim">{note}</span>}
    </div>
  );
}
