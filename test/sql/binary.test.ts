import { describe, expect, it } from "vitest";
import { OID } from "../../src/sql/types/oids.ts";
import { context, types } from "./fuzz/evaluate.ts";
import { arrayTexts, VALUES } from "./fuzz/values.ts";

/** Worked examples: what PostgreSQL's `…send` functions give. */
const SENT: readonly (readonly [type: string, text: string, hex: string])[] = [
  ["numeric", "12345.678", "0003000100000003000109291a7c"],
  ["numeric", "-0.0001", "0001ffff400000040001"],
  ["numeric", "NaN", "00000000c0000000"],
  ["numeric", "0.00", "0000000000000002"],
  ["int8", "-2", "fffffffffffffffe"],
  ["bool", "t", "01"],
  ["_int4", "{1,NULL}", "00000001000000010000001700000002000000010000000400000001ffffffff"],
];

describe("binary forms", () => {
  it.each(SENT)("of %s %s", (type, text, hex) => {
    const { codec } = types.byName(type)!;
    const sent = codec.send(codec.input(text, -1, context), context);
    expect(Buffer.from(sent).toString("hex")).toBe(hex);
  });

  it("of a row: types, lengths and values of its fields", () => {
    const column = (name: string, oid: number) => ({ name, oid });
    const inner = { fields: [2n], columns: [column("f1", OID.int8)] };
    const oids = [OID.int4, OID.text, OID.bool, OID.record];
    const row = { fields: [1, "a b", null, inner], columns: oids.map((oid) => column("", oid)) };
    const sent = types.get(OID.record).codec.send(row as never, context);
    // PostgreSQL's record_send(row(1, 'a b'::text, null::bool, row(2::int8))).
    const head = "00000004000000170000000400000001000000190000000361206200000010ffffffff";
    const last = "000008c9000000140000000100000014000000080000000000000002";
    expect(Buffer.from(sent).toString("hex")).toBe(head + last);
  });

  it("read back what they wrote, of every type with values", () => {
    const names = Object.keys(VALUES).filter((name) => types.isSupported(types.byName(name)!.oid));
    for (const name of [...names, ...names.map((each) => `_${each}`)]) {
      const { codec } = types.byName(name)!;
      const texts = name.startsWith("_") ? arrayTexts(name.slice(1)) : VALUES[name]!;
      for (const text of texts) {
        let value: ReturnType<typeof codec.input>;
        try {
          value = codec.input(text, -1, context);
        } catch {
          continue;
        }
        const back = codec.receive(Buffer.from(codec.send(value, context)), -1, context);
        expect(codec.output(back, context), `${name} ${text}`).toBe(codec.output(value, context));
      }
    }
  });
});
