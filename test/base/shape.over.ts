import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { keepShape } from "../../src/base/shape.ts";
import { DataBlockCursor } from "../../src/lsm/format/data-block-cursor.ts";
import { SstWriter } from "../../src/lsm/format/sst-writer.ts";
import type { Ulid } from "../../src/lsm/format/ulid.ts";

setFlagsFromString("--expose-gc");
setFlagsFromString("--allow-natives-syntax");
const collect = runInNewContext("gc") as () => void;
const hasFastProperties = new Function("one", "return %HasFastProperties(one)") as (
  one: object,
) => boolean;

/** Makes more than V8 looks at; none outlives the next, nor does its layout, kept for two more. */
function stillFast(make: () => object): boolean {
  for (let i = 0; i < 9; i++) {
    make();
    for (let gc = 0; gc < 3; gc++) collect();
  }
  return hasFastProperties(make());
}

it.each<readonly [string, () => object]>([
  ["DataBlockCursor", () => new DataBlockCursor()],
  ["SstWriter", () => new SstWriter("0".repeat(26) as Ulid)],
])("objects of %s keep their fields, however few of them live at a time", (_, make) => {
  expect(stillFast(make)).toBe(true);
});

it("is what a kept object is needed for", () => {
  const [Wide, Kept] = [wideClass(), wideClass()];
  expect(stillFast(() => new Wide())).toBe(false);
  keepShape(new Kept());
  expect(stillFast(() => new Kept())).toBe(true);
});

/** A class of so many private fields that they lie in a hash table where none has room inside. */
function wideClass(): new () => object {
  return class {
    readonly #a = 1;
    readonly #b = 1;
    readonly #c = 1;
    readonly #d = 1;
    readonly #e = 1;
    readonly #f = 1;
    readonly #g = 1;
    readonly #h = 1;
    readonly #i = 1;
    readonly #j = 1;
    readonly #k = 1;
    readonly #l = 1;
    readonly #m = 1;
    readonly #n = 1;
    readonly #o = 1;
    readonly #p = 1;
    readonly #q = 1;
    readonly #r = 1;

    get sum(): number {
      const few =
        this.#a + this.#b + this.#c + this.#d + this.#e + this.#f + this.#g + this.#h + this.#i;
      return (
        few +
        this.#j +
        this.#k +
        this.#l +
        this.#m +
        this.#n +
        this.#o +
        this.#p +
        this.#q +
        this.#r
      );
    }
  };
}
