import { describe, it } from "vitest";
import { costOf, expectShortTurns } from "../../support/turns.ts";
import { Api } from "./api.ts";

const CHANGES = 1_500;

describe("turns of the event loop", () => {
  it("stay short while a page of versions is read among many changes", async () => {
    await using api = await Api.open();
    await api.done("POST", "/catalogs", { name: "lake" });
    for (let i = 0; i < CHANGES; i++) {
      await api.done("PATCH", "/catalogs/lake", { description: `version ${i}` });
    }
    const read = () => costOf(() => api.done("GET", "/catalogs/lake/versions?pageSize=300"));
    await expectShortTurns("a page of versions", await read(), read);
  });
});
