/*
 * Inputs and outputs as the service's JSON. Numbers of items are texts in it (`{"N": "300"}`), so
 * no number that matters passes through a double. A member `B` that holds text stands in values
 * alone: attributes and tables of that name hold an object or a list.
 *
 * Example: {"Item": {"m": {"B": <01 02>}}} is `{"Item":{"m":{"B":"AQI="}}}`.
 */

/** The body of a request. */
export function encodeInput(input: object): string {
  return JSON.stringify(encoded(input));
}

/** What an answer holds. @throws SyntaxError */
export function decodeAnswer(text: string): Readonly<Record<string, unknown>> {
  const answer: unknown = JSON.parse(text);
  if (!isObject(answer)) throw new SyntaxError("an answer that is not an object");
  decodeBinaries(answer);
  return answer;
}

function encoded(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(encoded);
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encoded(member)]));
}

function decodeBinaries(value: unknown): void {
  if (Array.isArray(value)) {
    for (const element of value) decodeBinaries(element);
  } else if (isObject(value)) {
    for (const name in value) {
      const member = value[name];
      if (name === "B" && typeof member === "string") value[name] = Buffer.from(member, "base64");
      else decodeBinaries(member);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
