import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ADMIN_KEY } from "../../access/clocked-server.ts";
import { add, type Counts, finish, missing, ONE_FAILED } from "../counts.ts";
import { type Judged, withServer } from "../with-server.ts";
import type { KitTest } from "./junit.ts";
import { buildKit, lacking, runKit, type Selection } from "./kit.ts";

const EXCLUSIONS = join(import.meta.dirname, "..", "rck-exclusions.md");

/** One start of the kit against an empty catalog. */
interface Run extends Selection {
  readonly name: string;
  /** Fewer than this is a failure: a kit that runs nothing finds nothing. */
  readonly atLeast: number;
  /** The server asks for credentials, and the kit has one. */
  readonly guarded?: true;
}

/** Where the kit puts tables, whatever its own temporary directory is. */
const KIT_LOCATIONS: readonly string[] = ["--allow-location", "file:///tmp"];

const NESTED_DROP = "testDropNamespaceWithNestedNamespace";

const RUNS: readonly Run[] = [
  { name: "tables", classes: ["RESTCompatibilityKitCatalogTests"], atLeast: 97 },
  { name: "views", classes: ["RESTCompatibilityKitViewCatalogTests"], atLeast: 50 },
  { name: "extended", classes: ["ExtendedCatalogTests"], except: [NESTED_DROP], atLeast: 102 },
  // Wants no namespace `parent`, which other tests of the kit leave behind.
  {
    name: "guarded",
    methods: ["testBasicCreateTable", "testUpdateTableSchema", "testLoadMissingTable"].map(
      (name) => `RESTCompatibilityKitCatalogTests#${name}`,
    ),
    atLeast: 3,
    guarded: true,
  },
  { name: "nested-drop", methods: [`ExtendedCatalogTests#${NESTED_DROP}`], atLeast: 1 },
];

/** Tests that no server can pass, from the table of `rck-exclusions.md`. */
async function readExclusions(): Promise<ReadonlySet<string>> {
  const rows = (await readFile(EXCLUSIONS, "utf8")).matchAll(/^\| `(\w+\.\w+)` \|/gm);
  return new Set([...rows].map(([, name = ""]) => name));
}

/**
 * Judges one run. Excluded tests run all the same: one that passes must leave the list, and so must
 * one that is gone from the kit.
 */
function judge(run: Run, tests: readonly KitTest[], exclusions: ReadonlySet<string>): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const fail = (what: string, why: string): void => {
    counts.failed++;
    console.log(`FAILED ${what}: ${why}`);
  };
  for (const { name, outcome, message } of tests) {
    if (exclusions.has(name) && outcome === "passed") fail(name, "excluded, and passes");
    else if (outcome === "passed") counts.passed++;
    else if (outcome === "failed" && !exclusions.has(name)) fail(name, message);
    else {
      counts.skipped++;
      console.log(`skipped ${name}: ${exclusions.has(name) ? "see rck-exclusions.md" : message}`);
    }
  }
  // One failure, one number: a red test already says why there are fewer.
  if (counts.failed === 0 && counts.passed < run.atLeast) {
    fail(run.name, `${counts.passed} passed, ${run.atLeast} expected`);
  }
  return counts;
}

/** Runs against a server of its own; takes what it saw out of `unseen`. */
async function judged(
  run: Run,
  exclusions: ReadonlySet<string>,
  unseen: Set<string>,
): Promise<Counts> {
  const startedMs = performance.now();
  const [flags, env] =
    run.guarded === true
      ? [[...KIT_LOCATIONS, "--auth", "required"], { FIRN_BOOTSTRAP_KEY: ADMIN_KEY }]
      : [KIT_LOCATIONS, {}];
  const suite = async ({ url, scratch }: Judged): Promise<Counts> => {
    try {
      const oauth2 = { credential: `admin:${ADMIN_KEY}` };
      const client =
        run.guarded === true ? { ...oauth2, "oauth2-server-uri": `${url}/v1/oauth/tokens` } : {};
      const tests = await runKit(run.name, run, url, scratch, client);
      for (const { name } of tests) unseen.delete(name);
      return judge(run, tests, exclusions);
    } catch (error) {
      console.log(`FAILED ${run.name}: ${error instanceof Error ? error.message : error}`);
      return ONE_FAILED;
    }
  };
  const counts = await withServer(suite, flags, env);
  const { passed, failed, skipped } = counts;
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  console.log(`${run.name}: passed ${passed}, failed ${failed}, skipped ${skipped}, ${seconds} s`);
  return counts;
}

async function main(names: readonly string[]): Promise<Counts> {
  const lack = lacking();
  if (lack !== undefined) return missing(`the compatibility kit is not run, for want of ${lack}`);
  const stranger = names.find((name) => RUNS.every((run) => run.name !== name));
  if (stranger !== undefined) throw new Error(`no run ${stranger}: ${RUNS.map((r) => r.name)}`);
  const runs = names.length === 0 ? RUNS : RUNS.filter(({ name }) => names.includes(name));
  await buildKit();
  const exclusions = await readExclusions();
  const unseen = new Set(exclusions);
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const run of runs) {
    console.log(`\n--- ${run.name}`);
    counts = add(counts, await judged(run, exclusions, unseen));
  }
  for (const name of names.length === 0 ? unseen : []) {
    console.log(`FAILED ${name}: excluded, and not in the kit`);
    counts = add(counts, ONE_FAILED);
  }
  return counts;
}

finish(await main(process.argv.slice(2)));
