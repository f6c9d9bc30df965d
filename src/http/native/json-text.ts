/** An answer that is JSON text already: its numbers may not survive as values of JavaScript. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A whole answer that is sent again and again: JSON as bytes, which each time costs less. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
  }
}

/** An object of whose members some are JSON text already. */
export function objectText(members: Readonly<Record<string, unknown>>): JsonText {
  const texts = Object.entries(members).map(([name, value]) => {
    return `${JSON.stringify(name)}:${textOf(value)}`;
  });
  return new JsonText(`{${texts.join(",")}}`);
}

function textOf(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  return JSON.stringify(value);
}
