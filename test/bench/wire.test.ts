import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerReader, type WireAnswer } from "../../bench/wire.ts";

/** Reads bytes cut at the given places. */
function readCut(bytes: Buffer, cuts: readonly number[], reader: AnswerReader): WireAnswer {
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  const bounds = [0, ...places.filter((place) => place > 0), bytes.length];
  for (const [i, from] of bounds.slice(0, -1).entries()) {
    const to = bounds[i + 1] ?? bytes.length;
    // The reader may keep nothing of a piece: its owner reads the next one into the same bytes.
    const piece = Buffer.from(bytes.subarray(from, to));
    const answer = reader.read(piece);
    piece.fill(0);
    if (answer === undefined) continue;
    expect(to).toBe(bytes.length);
    return answer;
  }
  throw new Error("no answer at the end of its bytes");
}

function chunked(body: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = [Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")];
  let at = 0;
  for (const size of sizes) {
    const chunk = body.subarray(at, at + size);
    if (chunk.length === 0) break;
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
    at += chunk.length;
  }
  const rest = body.subarray(at);
  if (rest.length > 0) {
    parts.push(Buffer.from(`${rest.length.toString(16)}\r\n`), rest, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

const bodies = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const cutsOf = fc.array(fc.nat(), { maxLength: 12 });

test("an answer reads the same wherever its bytes are cut", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }));
  fc.assert(
    fc.property(bodies, sizes, cutsOf, fc.boolean(), (body, chunks, cuts, keep) => {
      const head = `HTTP/1.1 201 Created\r\ncontent-length: ${body.length}\r\n\r\n`;
      const whole = Buffer.concat([Buffer.from(head), body]);
      const kept = keep ? body : Buffer.alloc(0);
      expect(readCut(whole, cuts, new AnswerReader(false, keep))).toEqual({
        status: 201,
        body: kept,
      });
      expect(readCut(chunked(body, chunks), cuts, new AnswerReader(false, keep))).toEqual({
        status: 200,
        body: kept,
      });
    }),
  );
});

test("an answer to HEAD ends with its head, whatever length that names", () => {
  const head = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n");
  expect(readCut(head, [9], new AnswerReader(true, true)).status).toBe(200);
});

test("bytes after an answer, or an answer without an end, are refused", () => {
  const after = Buffer.from("HTTP/1.1 204 No Content\r\n\r\nx");
  const endless = Buffer.from("HTTP/1.1 200 OK\r\n\r\n");
  expect(() => new AnswerReader(false, true).read(after)).toThrow();
  expect(() => new AnswerReader(false, true).read(endless)).toThrow();
});
