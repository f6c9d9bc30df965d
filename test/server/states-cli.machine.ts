import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { startServer } from "../clients/server-process.ts";
import { closeSites, NAME, openSite } from "../support/aws-site.ts";
import { firnLsm, servedFrom } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";
import { ask } from "./support.ts";

const SECRET = "the secret that all nodes of a test share";

afterEach(closeSites);

/** One command line, run in this process. */
function firn(...args: readonly string[]) {
  return firnLsm(args, { FIRN_LOG_LEVEL: "silent" });
}

/** A place to keep a shard in: how a server opens it, and how a command names it. */
interface Place {
  readonly options: FirnOptions;
  readonly named: readonly string[];
}

async function placeIn(profile: "local" | "bucket"): Promise<Place> {
  const dir = scratchDirectory();
  if (profile === "local") return { options: { profile, dir }, named: [dir] };
  await openSite();
  const options = { profile, dir, s3Bucket: NAME, secret: SECRET };
  return { options, named: ["--profile", "bucket", "--s3-bucket", NAME, "--dir", dir] };
}

async function open(options: FirnOptions): Promise<Firn> {
  const opened = await Firn.open({ ...options, listen: { port: 0 }, logLevel: "silent" });
  onTestFinished(() => opened.close());
  servedFrom(opened.url, options.dir ?? "");
  return opened;
}

function makeNamespace(server: Firn, name: string): Promise<unknown> {
  return ask(server, "POST", "/namespaces", { namespace: [name] });
}

describe.each(["local", "bucket"] as const)("checkpoints in profile %s", (profile) => {
  it("are made, listed and deleted by the owner, and without one", async () => {
    const { options, named } = await placeIn(profile);
    const server = await open(options);
    const url = server.url ?? "";
    const made = await firn("checkpoint", "create", "one", url, "--ttl", "7d");
    expect(made).toMatchObject({ exitCode: 0, errors: "" });
    expect(made.out).toMatch(/^"one": sequence \d+, created 2.*Z, expires 2.*Z\n$/);
    await makeNamespace(server, "a");
    // Beside its owner: those alone can be looked at and let go of that it does not have to make.
    const owned = await firn("checkpoint", "create", "two", ...named);
    expect(owned).toMatchObject({ exitCode: 1, out: "" });
    expect(owned.errors).toContain("[LSM_OWNED]");
    expect(owned.errors).toContain(`firn lsm checkpoint create NAME ${url}`);
    expect(await firn("checkpoint", "list", ...named)).toMatchObject({ out: made.out });
    expect((await firn("checkpoint", "list", url)).out).toBe(made.out);
    expect(await firn("checkpoint", "delete", "one", ...named)).toMatchObject({
      exitCode: 0,
      out: 'deleted "one"\n',
    });
    expect((await firn("checkpoint", "create", "three", url)).exitCode).toBe(0);
    expect((await firn("checkpoint", "list", url)).out).toMatch(/^"three": .* never expires\n$/);
    await makeNamespace(server, "b");
    await server.close();

    // Nobody has it open, and all of it is in tables: nobody takes it over for that.
    const alone = await firn("checkpoint", "create", 'odd "\u00e9"', ...named, "--ttl", "90s");
    expect(alone).toMatchObject({ exitCode: 0, errors: "" });
    const { out: listed } = await firn("checkpoint", "list", ...named);
    expect(listed.split("\n").map((line) => line.split(":")[0])).toEqual([
      ...['"three"', '"odd \\"\\xc3\\xa9\\""', ""],
    ]);
    expect(listed).toContain(alone.out);
    const [three = 0, odd = 0] = [...listed.matchAll(/sequence (\d+)/g)].map(([, n]) => Number(n));
    expect(odd).toBeGreaterThan(three);
    expect((await firn("checkpoint", "delete", "three", ...named)).exitCode).toBe(0);
    expect((await firn("checkpoint", "delete", 'odd "\u00e9"', ...named)).exitCode).toBe(0);
    expect((await firn("checkpoint", "list", ...named)).out).toBe("no checkpoints\n");
  });

  it("lie in a shard whose files can be looked at beside its owner", async () => {
    const { options, named } = await placeIn(profile);
    const server = await open(options);
    await makeNamespace(server, "a");
    const verified = await firn("verify", ...named);
    expect(verified).toMatchObject({ exitCode: 0, errors: "" });
    expect(verified.out).toMatch(/^\d+ manifests?, .*\n0 findings\n$/);
    await server.close();
    const { exitCode, out } = await firn("inspect", ...named);
    expect(exitCode).toBe(0);
    const table = /[0-9A-HJKMNP-TV-Z]{26}(?=.*bytes)/.exec(out)?.[0] ?? "";
    expect((await firn("inspect", ...named, "--table", table)).out).toMatch(/block at \d+/);
    expect((await firn("inspect", ...named, "--table", "x")).exitCode).toBe(2);
    const elsewhere = await firn("verify", ...named, "--shard", "other");
    expect([elsewhere.exitCode, elsewhere.errors]).toEqual([
      ...[1, expect.stringContaining("[LSM_NO_SHARD]")],
    ]);
  });

  it("hear what is wrong with them", async () => {
    const { options, named } = await placeIn(profile);
    const server = await open(options);
    const url = server.url ?? "";
    expect((await firn("checkpoint", "create", "one", url)).exitCode).toBe(0);
    for (const [exitCode, code, ...args] of [
      [1, "LSM_CHECKPOINT_EXISTS", "create", "one", url],
      [1, "LSM_CHECKPOINT_INVALID", "create", "", url],
      [1, "LSM_CHECKPOINT_INVALID", "create", "x".repeat(256), url],
      [1, "LSM_CHECKPOINT_NOT_FOUND", "delete", "two", url],
      [1, "LSM_CHECKPOINT_NOT_FOUND", "delete", "two", ...named],
      [1, "SHARD_NOT_FOUND", "create", "two", url, "--shard", "other"],
      [1, "LSM_NO_SHARD", "create", "two", ...named, "--shard", "other"],
      [1, "LSM_NO_SHARD", "list", ...named, "--shard", "../system"],
      [1, "LSM_NO_SHARD", "list", "--profile", "memory"],
      [1, "OPERATOR_UNREACHABLE", "list", "http://127.0.0.1:9"],
      [2, "OPERATOR_URL_INVALID", "list", `${url}/x`],
      [2, "", "list", url, "--port", "1"],
      [1, "OPERATOR_TOKEN_WRONG", "list", url, "--dir", "/nowhere"],
      [2, "--prot", "create", "--prot", "two"],
      [2, "", "list", ...named, "extra"],
      [2, "", "create", "two", ...named, "--ttl", "5"],
      [2, "", "create"],
    ] as const) {
      const told = await firn("checkpoint", ...args);
      expect([args, told.exitCode, told.out]).toEqual([args, exitCode, ""]);
      expect(told.errors).toContain(code);
    }
    await server.close();
    const again = await firn("checkpoint", "create", "one", ...named);
    expect(again).toMatchObject({ exitCode: 1, out: "" });
    expect(again.errors).toContain("[LSM_CHECKPOINT_EXISTS]");
  });
});

it("a checkpoint of what a killed server left holds what is in the log alone", async () => {
  const dir = scratchDirectory();
  const server = await startServer(dir);
  servedFrom(server.url, dir);
  onTestFinished(() => server.kill());
  const create = await fetch(`${server.url}/iceberg/v1/namespaces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ namespace: ["killed"] }),
  });
  expect(create.status).toBe(200);
  const beside = await firn("checkpoint", "create", "beside", server.url);
  const [, sequence] = /sequence (\d+)/.exec(beside.out) ?? [];
  const more = await fetch(`${server.url}/iceberg/v1/namespaces/killed/properties`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ updates: { a: "b" } }),
  });
  expect(more.status).toBe(200);
  await server.kill();
  const after = await firn("checkpoint", "create", "after", dir);
  expect(after).toMatchObject({ exitCode: 0, errors: "" });
  expect(Number(/sequence (\d+)/.exec(after.out)?.[1])).toBeGreaterThan(Number(sequence));
  expect(await firn("verify", dir)).toMatchObject({ exitCode: 0, errors: "" });
});

describe.each(["local", "bucket"] as const)("reading in profile %s", (profile) => {
  it("goes beside the server, and back to every state that is there", async () => {
    const { options, named } = await placeIn(profile);
    const server = await open(options);
    const url = server.url ?? "";
    await makeNamespace(server, "a");
    const [, before] = /sequence (\d+)/.exec(
      (await firn("checkpoint", "create", "before", url)).out,
    ) ?? [""];
    await makeNamespace(server, "b");

    const rows = async (...args: readonly string[]) => {
      const told = await firn("scan", ...named, ...args);
      expect(told.exitCode).toBe(0);
      const lines = told.out.split("\n").filter((line) => line !== "");
      return { ...told, rows: lines.map((line) => JSON.parse(line) as Row) };
    };
    const all = await rows("--limit", "100000");
    const past = await rows("--checkpoint", "before");
    expect(past.errors).toBe(`sequence ${before}\n`);
    expect(past.rows.length).toBeLessThan(all.rows.length);
    expect((await rows("--sequence", before ?? "")).rows).toEqual(past.rows);
    expect(Number(/\d+/.exec(all.errors)?.[0])).toBeGreaterThan(Number(before));
    // Keys are printed as they are asked for.
    const keys = all.rows.map(({ key }) => key);
    expect(keys).toContain("/accounts/by-name/default");
    const odd = all.rows.find(({ key }) => key.includes("\\x")) ?? all.rows[0];
    for (const row of [odd, all.rows.at(-1)]) {
      const got = await firn("get", row?.key ?? "", "nothing", ...asSettings(named));
      expect(got.exitCode).toBe(0);
      expect(got.out).toBe(`${JSON.stringify(row)}\n{"key":"nothing","value":null}\n`);
    }
    const named2 = await rows("--prefix", "/accounts/by-name/", "--keys");
    expect(named2.rows).toEqual([{ key: "/accounts/by-name/default" }]);
    const cut = await rows("--from", keys[1] ?? "", "--to", keys[5] ?? "", "--limit", "2");
    expect(cut.rows).toEqual(all.rows.slice(1, 3));
    expect(cut.errors).toContain("stopped after 2 rows");
    const whole = await rows("--from", keys[1] ?? "", "--to", keys[3] ?? "", "--limit", "2");
    expect([whole.rows, whole.errors.includes("cut")]).toEqual([all.rows.slice(1, 3), false]);
    expect((await rows("--reverse", "--limit", "1")).rows).toEqual(all.rows.slice(-1));

    const { out: history } = await firn("history", ...named);
    expect(history).toMatch(/^newest state: sequence \d+\noldest readable state: seq/);
    expect(history).toContain('\ncheckpoints: 1\n  "before": sequence ');
    expect(history).toContain("\nreaders: 0\nclones: 0\n");
    const [, from = ""] = /readable by time since: (\S+)/.exec(history) ?? [];
    expect((await rows("--time", from)).rows.length).toBeLessThanOrEqual(all.rows.length);
    await server.close();
    expect((await rows("--limit", "100000")).rows).toEqual(all.rows);
  });

  it("says what is wrong with a moment, a key, a place", async () => {
    const { options, named } = await placeIn(profile);
    const server = await open(options);
    const url = server.url ?? "";
    for (const [exitCode, code, ...args] of [
      [1, "LSM_CHECKPOINT_NOT_FOUND", "scan", ...named, "--checkpoint", "two"],
      [1, "LSM_CHECKPOINT_NOT_FOUND", "restore", ...named, "--checkpoint", "two", "--yes"],
      [1, "LSM_SEQUENCE_AHEAD", "scan", ...named, "--sequence", "99999"],
      [1, "LSM_SEQUENCE_AHEAD", "restore", ...named, "--sequence", "99999", "--dry-run"],
      [1, "LSM_HISTORY_GONE", "scan", ...named, "--time", "2020-01-01T00:00:00Z"],
      [1, "LSM_TIME_AHEAD", "restore", ...named, "--time", "2900-01-01T00:00:00+01:00", "--yes"],
      [1, "LSM_RANGE_INVALID", "scan", ...named, "--from", "b", "--to", "a"],
      [1, "LSM_NO_SHARD", "scan", ...named, "--shard", "other"],
      [1, "LSM_NO_SHARD", "history", ...named, "--shard", "other"],
      [1, "LSM_NO_SHARD", "restore", ...named, "--shard", "other", "--sequence", "1", "--yes"],
      [1, "LSM_NO_SHARD", "get", "k", "--profile", "memory"],
      [2, "--sequence", "restore", ...named, "--yes"],
      [2, "more than one state given", "restore", ...named, "--checkpoint", "a", "--sequence", "1"],
      [
        2,
        "more than one state given",
        "scan",
        ...named,
        "--time",
        "2020-01-01T00:00:00Z",
        "--sequence",
        "1",
      ],
      [2, "", "scan", ...named, "--time", "2020-01-01"],
      [2, "", "scan", ...named, "--time", "2020-02-31T25:00:00Z"],
      [2, "", "scan", ...named, "--sequence", "1.5"],
      [2, "", "scan", ...named, "--limit", "0"],
      [2, "", "scan", ...named, "--prefix", "\u00e9"],
      [2, "", "restore", ...named, "--checkpoint", "a", "--keep", "-1"],
      [2, "ASCII", "get", "\u00e9", ...asSettings(named)],
      [2, "", "get"],
      [2, "server", "scan", url],
      [2, "server", "restore", url, "--checkpoint", "a"],
    ] as const) {
      const told = await firn(...args);
      expect([args, told.exitCode, told.out]).toEqual([args, exitCode, ""]);
      expect(told.errors).toContain(code);
    }
    await server.close();
  });
});

interface Row {
  readonly key: string;
  readonly value?: string;
}

/** The words of a place where words of their own come first. */
function asSettings(named: readonly string[]): readonly string[] {
  return named.length === 1 ? ["--dir", ...named] : named;
}
