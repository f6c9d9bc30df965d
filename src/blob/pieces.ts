import { giveBack, inOnePiece } from "../base/bytes.ts";

/**
 * Content in pieces of `size` bytes, the last one shorter; none for no content. They are copies:
 * who yields a chunk may use its memory again. (A buffer's own `slice` would copy nothing.)
 */
export async function* piecesOf(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const part = new Uint8Array(chunk.subarray(at, at + size - length));
      parts.push(part);
      length += part.length;
      at += part.length;
      if (length < size) continue;
      yield joined(parts);
      parts = [];
      length = 0;
    }
  }
  if (length > 0) yield joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = inOnePiece(parts);
  if (parts.length > 1) for (const part of parts) giveBack(part);
  return whole;
}
