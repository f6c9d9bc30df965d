/** Characters of a text by index: the text itself, or an array where some take two units. */
export interface Characters {
  readonly length: number;
  slice(from: number, to?: number): string;
  at(index: number): string;
}

const SURROGATE = /[\ud800-\udfff]/;

/** PostgreSQL counts characters, JavaScript UTF-16 units: they differ beyond the basic plane. */
export function charactersOf(text: string): Characters {
  if (!SURROGATE.test(text)) {
    return {
      length: text.length,
      slice: (from, to) => text.slice(from, to),
      at: (index) => text[index] ?? "",
    };
  }
  const all = [...text];
  return {
    length: all.length,
    slice: (from, to) => all.slice(from, to).join(""),
    at: (index) => all[index] ?? "",
  };
}
