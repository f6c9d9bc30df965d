import { describe, expect, it } from "vitest";
import { cellOf, traceBorders } from "../../bench/borders.ts";

describe("borders of a warm request", () => {
  it("are changes of the top-level folder, without base and the clock", () => {
    const trace = [
      ...["src/server/a.ts", "src/server/b.ts", "src/base/ids.ts", "src/server/a.ts"],
      ...["src/http/iceberg/c.ts", "src/runtime/clock.ts", "src/http/d.ts", "src/service/e.ts"],
      "src/http/d.ts",
    ];
    expect(cellOf("load", trace)).toEqual({
      request: "load",
      calls: 9,
      files: 7,
      borders: 3,
      beforeService: 2,
      path: ["server", "http", "service", "http"],
    });
  });

  it("stay below their ceilings", async () => {
    const cells = await traceBorders(undefined, 5);
    const figures = cells.map(({ request, borders, beforeService }) => ({
      request,
      within: borders <= (CEILINGS[request] ?? 0),
      borders,
      beforeService,
    }));
    expect(figures).toEqual([
      { request: "commit", within: true, borders: expect.any(Number), beforeService: 4 },
      { request: "load", within: true, borders: expect.any(Number), beforeService: 4 },
      { request: "loadUnchanged", within: true, borders: expect.any(Number), beforeService: 4 },
    ]);
  });
});

/**
 * Above what a quiet machine measures (39, 14, 13): the order of what happens side by side varies
 * with the load, and each change of order adds two.
 */
const CEILINGS: Readonly<Record<string, number>> = { commit: 45, load: 18, loadUnchanged: 17 };
