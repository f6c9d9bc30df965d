import fc from "fast-check";
import { expect, it } from "vitest";
import { checkFrame } from "../../src/pgwire/frame-limits.ts";
import { FrameReader } from "../../src/pgwire/frames.ts";
import { message } from "./wire-client.ts";

it("messages come out as they went in, however their bytes are cut", () => {
  const messages = fc.array(
    fc.tuple(fc.constantFrom("Q", "P", "B", "d", "S"), fc.uint8Array({ maxLength: 300 })),
    { maxLength: 12 },
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
  fc.assert(
    fc.property(messages, cuts, (sent, sizes) => {
      const bytes = Buffer.concat(sent.map(([type, body]) => message(type, Buffer.from(body))));
      const reader = new FrameReader();
      reader.startTyped();
      const got: [string, Uint8Array][] = [];
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        reader.push(bytes.subarray(at, at + size));
        at += size;
        for (let frame = reader.next(checkFrame); frame; frame = reader.next(checkFrame)) {
          got.push([String.fromCharCode(frame.type), new Uint8Array(frame.body)]);
        }
      }
      expect(got).toEqual(sent);
      expect(reader.bytes).toBe(0);
    }),
  );
});

it("a message that comes byte by byte is joined once", () => {
  const reader = new FrameReader();
  reader.startTyped();
  const bytes = message("d", Buffer.alloc(200_000, 1));
  let frames = 0;
  for (let at = 0; at < bytes.length; at++) {
    reader.push(bytes.subarray(at, at + 1));
    if (reader.next(checkFrame) !== undefined) frames++;
  }
  expect(frames).toBe(1);
});

it.each([
  ["a type that there is not", Buffer.from("!\0\0\0\x04")],
  ["a length below its own four bytes", Buffer.from("Q\0\0\0\x03")],
  ["a length of 4 GB", Buffer.from("Q\xff\xff\xff\xff", "latin1")],
  ["a Sync that is too large", Buffer.from("S\0\xff\0\0", "latin1")],
])("refuses %s before its body comes", (_what, head) => {
  const reader = new FrameReader();
  reader.startTyped();
  reader.push(head);
  expect(() => reader.next(checkFrame)).toThrow(
    expect.objectContaining({ code: "PROTOCOL_VIOLATION" }),
  );
});
