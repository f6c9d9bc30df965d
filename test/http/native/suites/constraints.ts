import { describe, expect, it } from "vitest";
import type {
  ChangedConstraints,
  SnapshotConstraints,
} from "../../../../src/api/constraint-operations.ts";
import type * as api from "../../../../src/api/resources.ts";
import type { Api } from "../api.ts";
import { snapshotsOf } from "./statistics.ts";

const TABLE = "/catalogs/lake/namespaces/a/tables/back";
const KEY = { name: "pk", kind: "PRIMARY_KEY", columns: [{ id: 1, name: "a" }] };
const CHECK = { name: "positive", kind: "CHECK", expression: "a > 0", enforced: true };
const FOREIGN = {
  name: "site",
  kind: "FOREIGN_KEY",
  columns: [{ name: "a" }],
  reference: { table: "lake.a.sites", columns: [{ name: "id" }], onDelete: "CASCADE" },
};

/** Constraints of snapshots. Table `lake.a.back` is there, with snapshots. */
export function describeConstraints(served: () => Api): void {
  describe("constraints over HTTP", () => {
    puts(served);
    changes(served);
    refuses(served);
  });
}

async function place(firn: Api): Promise<string> {
  const [newest = ""] = await snapshotsOf(firn);
  return `${TABLE}/snapshots/${newest}/constraints`;
}

function puts(served: () => Api): void {
  it("puts them whole, and says whether that changed anything", async () => {
    const firn = served();
    const at = await place(firn);
    const none = await firn.done<SnapshotConstraints>("GET", at);
    expect(none).toMatchObject({ version: "0", constraints: [], etag: '"0-none"' });
    const absent = { "If-Match": none.etag };
    const body = { constraints: [KEY, FOREIGN] };
    const put = await firn.done<ChangedConstraints>("PUT", at, body, absent);
    expect(put).toMatchObject({
      version: "1",
      changed: true,
      constraints: [
        {
          ...KEY,
          columns: [{ id: 1, name: "a", ordinal: 0 }],
          expression: "",
          enforced: false,
        },
        {
          name: "site",
          reference: {
            table: "lake.a.sites",
            columns: [{ id: 0, name: "id", ordinal: 0 }],
            match: "",
            onUpdate: "",
            onDelete: "CASCADE",
          },
        },
      ],
    });
    expect((await firn.refused("PUT", at, body, absent)).status).toBe(412);
    const same = await firn.done<ChangedConstraints>("PUT", at, body);
    expect(same).toEqual({ ...put, changed: false });
    const { changed: _changed, ...stored } = put;
    expect(await firn.done("GET", at)).toEqual(stored);
    const known = { "If-None-Match": put.etag };
    expect((await firn.ask("GET", at, undefined, known)).status).toBe(304);
    const page = await firn.done<api.Page<SnapshotConstraints>>("GET", `${TABLE}/constraints`);
    expect(page.items).toEqual([stored]);
  });
}

function changes(served: () => Api): void {
  it("merges by name, appends new ones, and deletes one or all", async () => {
    const firn = served();
    const at = await place(firn);
    const names = ({ constraints }: SnapshotConstraints) => constraints.map(({ name }) => name);
    const merged = await firn.done<ChangedConstraints>("POST", `${at}:merge`, {
      constraints: [{ ...KEY, enforced: true }, CHECK],
    });
    expect(names(merged)).toEqual(["pk", "site", "positive"]);
    expect(merged.constraints[0]).toMatchObject({ name: "pk", enforced: true });
    const twice = await firn.refused("POST", `${at}:append`, { constraints: [CHECK] });
    expect(twice).toMatchObject({ status: 409, code: "CONSTRAINT_ALREADY_EXISTS" });
    const unique = { name: "one", kind: "UNIQUE", columns: [{ name: "a" }] };
    const key = { "Idempotency-Key": "append-1" };
    const body = { constraints: [unique] };
    const appended = await firn.done<ChangedConstraints>("POST", `${at}:append`, body, key);
    expect(names(appended)).toEqual(["pk", "site", "positive", "one"]);
    const again = await firn.ask("POST", `${at}:append`, body, key);
    expect([again.status, again.body]).toEqual([200, appended]);
    await firn.done("DELETE", `${at}/site`);
    expect(names(await firn.done("GET", at))).toEqual(["pk", "positive", "one"]);
    expect((await firn.refused("DELETE", `${at}/site`)).code).toBe("CONSTRAINT_NOT_FOUND");
    const stale = { "If-Match": appended.etag };
    expect((await firn.refused("DELETE", at, undefined, stale)).status).toBe(412);
    await firn.done("DELETE", at);
    const left = await firn.done<SnapshotConstraints>("GET", at);
    expect(left.constraints).toEqual([]);
    expect(Number(left.version)).toBeGreaterThan(Number(appended.version));
    const page = await firn.done<api.Page<SnapshotConstraints>>("GET", `${TABLE}/constraints`);
    expect(page.items).toEqual([]);
  });
}

function refuses(served: () => Api): void {
  it("refuses a snapshot that is not there, and what is no constraint", async () => {
    const firn = served();
    const away = `${TABLE}/snapshots/17/constraints`;
    for (const path of [away, `${away}:merge`, `${away}:append`]) {
      const method = path === away ? "PUT" : "POST";
      const problem = await firn.refused(method, path, { constraints: [KEY] });
      expect(problem).toMatchObject({ status: 404, code: "SNAPSHOT_NOT_FOUND" });
    }
    expect((await firn.refused("GET", away)).code).toBe("SNAPSHOT_NOT_FOUND");
    const at = await place(firn);
    const wrong: readonly object[] = [
      { ...KEY, columns: [] },
      { ...CHECK, expression: "" },
      { ...KEY, expression: "a" },
      { name: "n", kind: "NOT_NULL", columns: [{ name: "a" }, { name: "b" }] },
      { name: "f", kind: "FOREIGN_KEY", columns: [{ name: "a" }] },
      { ...KEY, reference: FOREIGN.reference },
      { ...FOREIGN, columns: [{ name: "a" }, { name: "b" }] },
    ];
    for (const one of wrong) {
      const { code } = await firn.refused("PUT", at, { constraints: [one] });
      expect([one, code]).toEqual([one, "CONSTRAINTS_INVALID"]);
    }
    const twice = await firn.refused("PUT", at, { constraints: [KEY, KEY] });
    expect(twice.code).toBe("CONSTRAINTS_INVALID");
    expect((await firn.refused("DELETE", `${at}/none`)).code).toBe("CONSTRAINT_NOT_FOUND");
  });
}
