import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { verifyShard } from "../../src/lsm/tools/verify.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { fromFields, readSettings, requireSettings } from "../../src/runtime/read-settings.ts";
import { openShardHandle } from "../../src/runtime/shard-handle.ts";
import { startServer } from "../clients/server-process.ts";
import { closeSites, NAME, openSite } from "../support/aws-site.ts";
import { firnLsm, servedFrom } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

const SECRET = "the secret that all nodes of a test share";
const SCHEMA = { type: "struct", fields: [{ id: 1, name: "a", required: false, type: "int" }] };

afterEach(closeSites);

/** One command line, run in this process. */
function firn(...args: readonly string[]) {
  return firnLsm(args, { FIRN_LOG_LEVEL: "silent" });
}

/** Where a shard is kept: how servers and commands are told. */
interface Place {
  readonly dir: string;
  readonly flags: readonly string[];
  readonly named: readonly string[];
}

async function placeIn(profile: "local" | "bucket"): Promise<Place> {
  const dir = scratchDirectory();
  if (profile === "local") return { dir, flags: [], named: [dir] };
  await openSite();
  const flags = ["--profile", "bucket", "--s3-bucket", NAME];
  const warehouse = ["--warehouse", `file://${dir}/warehouse`];
  return { dir, flags: [...flags, ...warehouse], named: [...flags, "--dir", dir] };
}

/** A server in a process of its own, and the tables that it tells of. */
async function serve({ dir, flags }: Place) {
  const server = await startServer(dir, flags, { FIRN_SECRET: SECRET });
  servedFrom(server.url, dir);
  onTestFinished(() => server.kill());
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/iceberg/v1/namespaces${path}`, {
      method,
      ...(body && {
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const text = await response.text();
    expect(`${response.status} ${text}`).toMatch(/^2/);
    return text === "" ? {} : JSON.parse(text);
  };
  return {
    ...server,
    makeTable: (name: string) => ask("POST", "/ns/tables", { name, schema: SCHEMA }),
    makeNamespace: () => ask("POST", "", { namespace: ["ns"] }),
    drop: (name: string) => ask("DELETE", `/ns/tables/${name}`),
    tables: async (): Promise<readonly string[]> => {
      const { identifiers } = await ask("GET", "/ns/tables");
      return identifiers.map(({ name }: { readonly name: string }) => name).sort();
    },
    load: (name: string) => ask("GET", `/ns/tables/${name}`),
  };
}

/** The number behind a word of what was said. */
function numberBehind(word: string, said: string): number {
  return Number(new RegExp(`${word} (\\d+)`).exec(said)?.[1]);
}

describe.each(["local", "bucket"] as const)("a restore in profile %s", (profile) => {
  it("brings dropped tables back, and what it replaced", { timeout: 60_000 }, async () => {
    const place = await placeIn(profile);
    const { named } = place;
    const first = await serve(place);
    await first.makeNamespace();
    for (const name of ["one", "two"]) await first.makeTable(name);
    const loaded = await first.load("one");
    const made = await firn("checkpoint", "create", "before", first.url);
    const before = numberBehind("sequence", made.out);
    await first.drop("one");
    await first.makeTable("three");
    expect(await first.tables()).toEqual(["three", "two"]);

    const refused = await firn("restore", ...named, "--checkpoint", "before", "--yes");
    expect(refused).toMatchObject({ exitCode: 1, out: "" });
    expect(refused.errors).toContain("[LSM_OWNED]");
    expect(refused.errors).toContain("--takeover");
    const beside = await firn("restore", ...named, "--checkpoint", "before", "--dry-run");
    expect(beside).toMatchObject({ exitCode: 0, errors: "" });
    expect(beside.out).toContain(`would restore sequence ${before} in place of `);
    expect(beside.out).toContain("a server has the shard open");
    expect(await first.tables()).toEqual(["three", "two"]);
    // All of it is in the log alone then.
    await first.kill();

    const dry = await firn("restore", ...named, "--checkpoint", "before", "--dry-run");
    expect(dry).toMatchObject({ exitCode: 0, errors: "" });
    expect(dry.out).toContain("has ended");
    const unsure = await firn("restore", ...named, "--checkpoint", "before");
    expect(unsure.exitCode).toBe(2);
    expect(unsure.errors).toContain("--yes");
    const done = await firn("restore", ...named, "--checkpoint", "before", "--yes");
    expect(done).toMatchObject({ exitCode: 0, errors: "" });
    const replaced = numberBehind("in place of", done.out);
    expect(replaced).toBe(numberBehind("in place of", dry.out));
    expect(done.out).toContain(`restored sequence ${before} `);
    await verified(place);

    const second = await serve(place);
    expect(await second.tables()).toEqual(["one", "two"]);
    expect(await second.load("one")).toEqual(loaded);
    await second.makeTable("four");
    // It is taken over as it serves.
    const back = /firn lsm (restore .*)\n/.exec(done.out)?.[1]?.split(" ") ?? [];
    const dir = profile === "local" ? [] : ["--dir", place.dir];
    const again = await firn(...back, ...dir, "--takeover");
    expect(again).toMatchObject({ exitCode: 0, errors: "" });
    expect(numberBehind("restored sequence", again.out)).toBe(replaced);
    await verified(place);
    const late = await fetch(`${second.url}/iceberg/v1/namespaces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ namespace: ["late"] }),
    });
    expect(late.ok).toBe(false);
    await second.stop();
    const third = await serve(place);
    expect(await third.tables()).toEqual(["three", "two"]);
    expect(await third.stop()).toBe(0);
    const unkept = await firn(
      "restore",
      ...named,
      "--checkpoint",
      "before",
      "--yes",
      "--keep",
      "0",
    );
    expect(unkept).toMatchObject({ exitCode: 0, errors: "" });
    expect(unkept.out).toContain("is not kept");
    const { out } = await firn("checkpoint", "list", ...named);
    expect(out.split("\n").map((line) => line.split(":")[0])).toEqual([
      ...[
        '"before"',
        `"replaced-${replaced}"`,
        `"replaced-${numberBehind("in place of", again.out)}"`,
        "",
      ],
    ]);
    await verified(place);
  });
});

/** Nothing that is stored is damaged, or missing. */
async function verified({ flags, dir }: Place): Promise<void> {
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const fields = flags.length === 0 ? { profile: "local", dir } : BUCKET;
  const settings = requireSettings(readSettings([fromFields(fields)], dir));
  const components = { clock, prng, nodeId: "v", notify: () => {}, onDefect: () => {} };
  const { reading, close } = await openShardHandle(settings, "system", components);
  const findings: unknown[] = [];
  for await (const one of verifyShard({ prefix: "", ...reading })) findings.push(one);
  await close();
  expect(findings).toEqual([]);
}

const BUCKET = { profile: "bucket", s3Bucket: NAME, secret: SECRET };
