import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { ask } from "./support.ts";

const SCHEMA = {
  type: "struct",
  fields: [{ id: 1, name: "id", required: true, type: "long" }],
};

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "firn-local-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function open(more: Parameters<typeof Firn.open>[0] = {}): Promise<Firn> {
  return Firn.open({ profile: "local", dir, logLevel: "silent", ...more });
}

describe("profile local", () => {
  it("keeps everything over a restart, page tokens among it", async () => {
    const firn = await open({ catalog: "lake" });
    await ask(firn, "POST", "/namespaces", { namespace: ["ns"], properties: { k: "v" } });
    const tables = ["a", "b", "c"];
    for (const name of tables) {
      await ask(firn, "POST", "/namespaces/ns/tables", { name, schema: SCHEMA });
    }
    const view = await ask(firn, "POST", "/namespaces/ns/tables/a", {
      requirements: [],
      updates: [{ action: "set-properties", updates: { owner: "ice" } }],
    });
    const page = await ask(firn, "GET", "/namespaces/ns/tables?pageSize=2&pageToken=");
    await firn.close();

    await using again = await open();
    expect(await ask(again, "GET", "/namespaces/ns")).toMatchObject({ properties: { k: "v" } });
    const loaded = await ask(again, "GET", "/namespaces/ns/tables/a");
    expect(loaded["metadata-location"]).toBe(view["metadata-location"]);
    expect(loaded.metadata).toEqual(view.metadata);
    const token = encodeURIComponent(page["next-page-token"]);
    const rest = await ask(again, "GET", `/namespaces/ns/tables?pageSize=2&pageToken=${token}`);
    const names = [...page.identifiers, ...rest.identifiers].map(({ name }) => name);
    expect(names).toEqual(tables);
    expect([...(await again.catalogs.list())].sort()).toEqual(["default", "lake"]);
    await ask(again, "POST", "/lake/namespaces", { namespace: ["other"] });
    await ask(again, "POST", "/lake/namespaces/other/tables", { name: "t", schema: SCHEMA });
  });

  it("moves its warehouse for new tables; those that are there stay", async () => {
    const made: Record<string, string> = {};
    const create = async (firn: Firn, name: string) => {
      const table = await ask(firn, "POST", "/namespaces/ns/tables", { name, schema: SCHEMA });
      made[name] = table.metadata.location;
    };
    let firn = await open();
    await ask(firn, "POST", "/namespaces", { namespace: ["ns"] });
    await create(firn, "first");
    await firn.close();
    firn = await open({ warehouse: join(dir, "elsewhere") });
    await create(firn, "second");
    await firn.close();
    // Unless another one is asked for, the one that is stored stays.
    firn = await open();
    await create(firn, "third");
    for (const name of ["first", "second", "third"]) {
      const update = { action: "set-properties", updates: { a: "b" } };
      const path = `/namespaces/ns/tables/${name}`;
      await ask(firn, "POST", path, { requirements: [], updates: [update] });
      expect((await ask(firn, "GET", path)).metadata.location).toBe(made[name]);
    }
    await firn.close();
    const roots = Object.values(made).map((location) => location.slice(`file://${dir}/`.length));
    expect(roots.map((path) => path.split("/")[0])).toEqual([
      "warehouse",
      "elsewhere",
      "elsewhere",
    ]);
  });

  it("has one owner: a second one is refused, or takes it over", async () => {
    const first = await open();
    await ask(first, "POST", "/namespaces", { namespace: ["ns"] });
    await expect(open()).rejects.toMatchObject({
      kind: "Unavailable",
      code: "LSM_OWNED",
      context: { pid: process.pid },
    });
    const second = await open({ takeover: true });
    await ask(second, "POST", "/namespaces", { namespace: ["later"] });
    const refused = await first.fetch(new Request("http://firn/iceberg/v1/namespaces"));
    expect([refused.status, refused.headers.get("X-Firn-Error")]).toEqual([503, "LSM_FENCED"]);
    expect((await first.fetch(new Request("http://firn/readyz"))).status).toBe(503);
    await first.close();
    const { namespaces } = await ask(second, "GET", "/namespaces");
    expect(namespaces).toEqual([["later"], ["ns"]]);
    await second.close();
  });
});

describe("the directory of profile local", () => {
  it("keeps its secret to its owner, and refuses one that was cut", async () => {
    await (await open()).close();
    const file = join(dir, "secret");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const secret = await readFile(file);
    await (await open()).close();
    expect(await readFile(file)).toEqual(secret);
    await writeFile(file, secret.subarray(1));
    await expect(open()).rejects.toMatchObject({ kind: "Corrupt", code: "SECRET_INVALID" });
    await writeFile(file, secret);
    await (await open()).close();
  });

  it("says which directory cannot be used", async () => {
    const file = join(dir, "file");
    await writeFile(file, "");
    await expect(open({ dir: join(file, "below") })).rejects.toMatchObject({
      kind: "Unavailable",
      code: "DIR_UNUSABLE",
      context: { errno: "ENOTDIR" },
    });
  });

  it.runIf(process.platform === "linux")("says so of the kernel's own file systems", async () => {
    // Where a missing parent is what `mkdir` answers for ever.
    for (const [below, errno] of [
      ["/proc/firn/dir", "ENOENT"],
      ["/proc", "ENOENT"],
      ["/sys/firn/dir", expect.stringMatching(/^E(PERM|ACCES|ROFS)$/)],
    ]) {
      await expect(open({ dir: below })).rejects.toMatchObject({
        kind: "Unavailable",
        code: "DIR_UNUSABLE",
        context: { errno },
      });
    }
  });
});
