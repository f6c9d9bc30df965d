import type { ComponentChildren } from "preact";

/** Names and values, one line each. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [string, ComponentChildren])[];
}) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
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
  readonly value: string;
  readonly note?: string;
}) {
  return (
    <div class="figure">
      <span class="value">{value}</span>
      <span class="name">{name}</span>
      {note !== undefined && <span class="dim">{note}</span>}
    </div>
  );
}
