/** What is known of the table and view of an episode, as the server's own answers tell. */
export interface Facts {
  readonly namespace: string;
  /** Twelve digits that no other episode of the run has. */
  readonly number: string;
  readonly uuid: string;
  readonly location: string;
  readonly metadataLocation: string;
  readonly lastSequence: bigint;
  readonly nextRow: bigint;
}

/**
 * Stands for a piece of JSON text that no value prints as: an integer beyond doubles, one that is
 * known only when the request is sent, or what is no JSON at all.
 */
export class RawText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** How a found counterexample shows it. */
  toString(): string {
    return `raw(${this.text.slice(0, 80)})`;
  }
}

export function raw(text: string): RawText {
  return new RawText(text);
}

/** A value as JSON text; raw pieces stand in it as they are. */
export function printed(value: unknown): string {
  if (value instanceof RawText) return value.text;
  if (Array.isArray(value)) return `[${value.map(printed).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${printed(member)}`,
  );
  return `{${members.join(",")}}`;
}

/** A request's text with what is known put where it is spoken of. */
export function filled(text: string, facts: Facts): string {
  return text
    .replaceAll("@ns@", facts.namespace)
    .replaceAll("@number@", facts.number)
    .replaceAll("@uuid@", facts.uuid)
    .replaceAll("@location@", facts.location)
    .replaceAll("@metadata@", facts.metadataLocation)
    .replaceAll(":next-sequence", () => `:${facts.lastSequence + 1n}`)
    .replaceAll(":next-row", () => `:${facts.nextRow}`)
    .replaceAll(":now", () => `:${Date.now()}`);
}
