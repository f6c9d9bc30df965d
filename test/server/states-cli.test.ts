import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { startServer } from "../clients/server-process.ts";
import { closeSites, NAME, openSite } from "../support/aws-site.ts";
import { firnLsm } from "../support/firn-lsm.ts";
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
    expect(made.out).toMatch(/^"one": sequence \d+, made 2.*Z, until 2.*Z\n$/);
    await makeNamespace(server, "a");
    // Beside its owner: those alone can be looked at and let go of that it does not have to make.
    const owned = await firn("checkpoint", "create", "two", ...named);
    expect(owned).toMatchObject({ exitCode: 1, out: "" });
    expect(owned.errors).toContain("[LSM_OWNED]");
    expect(owned.errors).toContain(`firn lsm checkpoint create NAME ${url}`);
    expect(await firn("checkpoint", "list", ...named)).toMatchObject({ out: made.out });
    expect((await firn("checkpoint", "list", url)).out).toBe(made.out);
    expect(await firn("checkpoint", "delete", "one", ...named)).toMatchObject({
      ...{ exitCode: 0, out: 'deleted "one"\n' },
    });
    expect((await firn("checkpoint", "create", "three", url)).exitCode).toBe(0);
    expect((await firn("checkpoint", "list", url)).out).toMatch(
      /^"three": .* until it is del.*\n$/,
    );
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
      [2, "", "list", url, "--dir", "/tmp"],
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
