import { describe, expect, it } from "vitest";
import type { Dropped } from "../../src/api/resources.ts";
import { IDS, type Said } from "./firn-process.ts";

const CORES = "lake.glacier.cores";

/** Runs a command line against a catalog that `plantLake` has filled. */
export type RunFirn = (args: readonly string[], input?: string) => Promise<Said>;

/** What every verb prints and ends with, however it is run. The store is changed. */
export function describeVerbs(firn: RunFirn): void {
  async function done(...args: readonly string[]): Promise<string> {
    const said = await firn(args);
    expect([args, said.exitCode, said.errors]).toEqual([args, 0, expect.any(String)]);
    return said.out;
  }

  describe("reading verbs of firn, against a server", () => {
    it("lists catalogs, namespaces and tables", async () => {
      expect(await done("ls")).toBe("default\tcatalog\nlake\tcatalog\n");
      expect(await done("ls", "lake.glacier")).toBe("cores\ticeberg\nsites\ticeberg\n");
      const long = await done("ls", "-l", "lake.glacier", "--json=name,rows,files,bytes,refs");
      expect(JSON.parse(long)).toEqual([
        { name: "cores", rows: 4, files: 2, bytes: 3_072, refs: ["main", "season-1", "audit"] },
        { name: "sites", rows: 0, files: 0, bytes: 0, refs: [] },
      ]);
      expect(await done("ls", "--tree", "lake")).toBe(
        "lake.glacier\nlake.glacier.cores\nlake.glacier.sites\n",
      );
      expect(await done("find", "CORE")).toBe(`${CORES}\ttable\n`);
    });

    it("shows a table, its history and what changed in it", async () => {
      const shown = JSON.parse(await done("describe", `${CORES}@season-1`, "--json"));
      expect(shown.snapshot.snapshotId).toBe(IDS.first);
      expect(shown.schema.map((field: { name: string }) => field.name)).toEqual([
        "depth",
        "density",
      ]);
      expect(await done("log", CORES, "-q")).toBe(`${IDS.second}\n${IDS.audit}\n${IDS.first}\n`);
      expect((await done("log", `${CORES}@audit`)).split("\n")[0]).toMatch(
        new RegExp(`^${IDS.audit}\t${IDS.first}\t\\d{4}-\\S+\tappend\taudit$`),
      );
      expect(await done("diff", `${CORES}@season-1`, "@main")).toBe(
        "schema\t~ 2 density → g_per_cm3\n\t+ 4 taken_at timestamptz\n" +
          "rows\t3 → 4\nfiles\t1 → 2\nbytes\t1.0 KiB → 3.0 KiB\n",
      );
      expect(JSON.parse(await done("diff", `${CORES}@~1`, "--json"))).toMatchObject({
        from: IDS.first,
        to: IDS.second,
        rows: { before: 3, after: 4 },
      });
    });

    it("names what is wrong, and ends with the code of its kind", async () => {
      for (const [exitCode, says, ...args] of [
        [3, `nearest: ${CORES}\n`, "describe", "lake.glacier.core"],
        [3, "nearest: lake.glacier\n", "ls", "lake.glaciers"],
        [3, "nearest=season-1", "describe", `${CORES}@season-2`],
        [3, "", "find", "nothing-has-this"],
        [2, "[FIELD_UNKNOWN]", "ls", "--json=nam"],
        [2, "[WHERE_INVALID]", "ls", "--url", "http://127.0.0.1:1", "--dir", "x"],
        [2, "[CONFIRMATION_NEEDED]", "rm", CORES],
        [2, "/color: ", "catalog", "create", "red", "-f", "-"],
        [3, "[CONTEXT_NOT_FOUND]", "ls", "--context", "none"],
        [5, "[CATALOG_ALREADY_EXISTS]", "catalog", "create", "lake"],
        [6, "[SERVER_UNREACHABLE]", "ls", "--url", "http://127.0.0.1:9999"],
      ] as const) {
        const said = await firn(args, '{"color": "blue"}');
        expect([args, said.exitCode]).toEqual([args, exitCode]);
        expect(said.errors).toContain(says);
      }
    });
  });

  describe("what was dropped, and jobs, of a server that is asked by its URL", () => {
    it("restores by the line that rm prints and by name, and shows jobs", async () => {
      const dropped = await firn(["rm", "lake.glacier.sites", "--yes"]);
      const [, id = ""] = /firn undrop (\S+) /.exec(dropped.errors) ?? [];
      expect(await done("dropped")).toContain(id);
      expect(await done("undrop", id)).toBe(`restored table lake.glacier.sites (${id})\n`);
      await done("rm", "lake.glacier.sites", "--yes");
      expect(await done("undrop", "glacier.sites")).toContain(id);
      expect(await done("ls", "lake.glacier")).toContain("sites\t");
      await done("catalog", "create", "spare");
      await done("namespace", "create", "spare.brief");
      const job = JSON.parse(await done("rm", "-r", "spare.brief", "--yes", "--json"));
      expect(JSON.parse(await done("jobs", "show", job.id, "--json"))).toMatchObject({
        state: "over",
        progress: { done: 1, total: 1 },
      });
      expect(await done("jobs")).toContain(job.id);
      const late = await firn(["jobs", "cancel", job.id]);
      expect(late.exitCode).toBe(5);
      expect(late.errors).toContain("[JOB_OVER]");
      // Nothing stays dropped for what is looked at next.
      await done("undrop", "spare.brief");
      const none = await firn(["undrop", "no.such"]);
      expect(none.errors).toContain("[DROPPED_NOT_FOUND]");
    });
  });

  describe("firn alone, and completion of its lines", () => {
    it("shows every command on one screen", async () => {
      const home = await done();
      expect(home).toMatch(/look {6}ls {2}describe/);
      expect(home).toMatch(/model {5}[\s\S]*catalog\s+connector\s+namespace\s+table/);
      expect(home.split("\n").length).toBeLessThan(24);
    });

    it("completes commands, options, names, refs and contexts", async () => {
      const words = async (...line: readonly string[]) =>
        (await done("__complete", "--", ...line)).split("\n").map((text) => text.split("\t")[0]);
      expect(await words("ro")).toEqual(["rollback", "role", "row", ""]);
      expect(await words("table", "ren")).toEqual(["rename", ""]);
      expect(await words("ls", "--dro")).toEqual(["--dropped", ""]);
      expect(await words("completion", "f")).toEqual(["fish", ""]);
      expect(await words("ls", "la")).toEqual(["lake.", ""]);
      expect(await words("ls", "-l", "lake.gl")).toEqual(["lake.glacier.", ""]);
      expect(await words("log", "lake.glacier.c")).toEqual([CORES, ""]);
      expect(await words("diff", `${CORES}@s`)).toEqual([`${CORES}@season-1`, ""]);
      expect(await words("ls", "lake.none.")).toEqual([""]);
      await done("context", "set", "near", "--url", "http://127.0.0.1:1");
      expect(await words("context", "use", "n")).toEqual(["near", ""]);
      expect(await words("ls", "--context", "n")).toEqual(["near", ""]);
      await done("context", "delete", "near");
    });
  });

  describe("changing verbs of firn", () => {
    it("changes refs of a table, and only if nothing else did", async () => {
      expect((await firn(["tag", `${CORES}@audit`, "audited"])).exitCode).toBe(0);
      expect(await done("tag", CORES, "-q")).toBe("audited\nseason-1\n");
      expect((await firn(["tag", CORES, "audited"])).exitCode).toBe(5);
      await done("tag", CORES, "audited", "--delete");
      await done("branch", `${CORES}@~1`, "fix", "--dry-run");
      expect(await done("branch", CORES, "-q")).toBe("audit\nmain\n");
      await done("rollback", `${CORES}@season-1`);
      expect(await done("log", `${CORES}@main`, "-q")).toBe(`${IDS.first}\n`);
      expect((await firn(["rollback", `${CORES}@${IDS.second}`])).exitCode).toBe(5);
      await done("rollback", `${CORES}@${IDS.second}`, "--force");
    });

    it("moves, protects, drops and brings back", async () => {
      await done("mv", "lake.glacier.sites", "places");
      await done("protect", "lake.glacier.places");
      expect((await firn(["rm", "lake.glacier.places", "--yes"])).errors).toContain("[PROTECTED]");
      await done("protect", "lake.glacier.places", "--off");
      await done("rm", "lake.glacier.places", "--yes");
      const [dropped] = JSON.parse(await done("ls", "--dropped", "lake", "--json")) as Dropped[];
      expect(dropped).toMatchObject({ name: "places", type: "table" });
      expect(await done("watch", "--since", "1h", "--no-follow")).toContain("drop");
      const [row] = JSON.parse(
        `[${await done("top", "--limit", "1", "--interval", "1s", "--ndjson")}]`,
      );
      expect(row).toMatchObject({ connections: expect.any(Number), routes: expect.any(Array) });
    });
  });
}
