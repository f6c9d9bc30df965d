import { join } from "node:path";
import { add, type Counts } from "../clients/counts.ts";
import { type Build, build, lacking } from "../clients/sql/builds.ts";
import { runProgram } from "../clients/sql/program.ts";
import { openGuardedServer } from "./guarded-server.ts";

/*
 * iceberg-go and iceberg-rust with credentials, in programs of their own, built once for each
 * version of their sources. Their tokens end meanwhile by the clock of this machine: Go renews a
 * token that has less than ten seconds left, so that a shorter life would be none.
 */

const TOKEN_LIFE_MS = 12_000;
const CLIENTS = join(import.meta.dirname, "clients");
const TARGET = join(CLIENTS, "target");
const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };
const GO_PROGRAM = join(TARGET, "go", "session");

const sources = (...names: readonly string[]): readonly string[] =>
  names.map((name) => join("..", "..", "access", "clients", name));

const GO: Build = {
  name: "iceberg-go",
  sources: sources("go/go.mod", "go/go.sum", "go/main.go"),
  tools: [["go", "version", 25]],
  steps: [
    {
      cwd: join(CLIENTS, "go"),
      command: "go",
      args: ["build", "-p", "1", "-mod=readonly", "-o", GO_PROGRAM, "."],
      env: { GOTOOLCHAIN: "local" },
    },
  ],
  command: [GO_PROGRAM],
};

const RUST: Build = {
  name: "iceberg-rust",
  sources: sources("rust/Cargo.toml", "rust/Cargo.lock", "rust/src/main.rs"),
  tools: [["cargo", "--version", 94]],
  steps: [
    {
      cwd: join(CLIENTS, "rust"),
      command: "cargo",
      args: ["build", "-q", "-j2", "--locked", "--target-dir", join(TARGET, "rust")],
    },
  ],
  command: [join(TARGET, "rust", "debug", "token-session")],
};

/** One after the other: they are short, and their builds are not. */
export async function tokenClients(): Promise<Counts> {
  let counts = NONE;
  for (const each of [GO, RUST]) {
    const startedMs = performance.now();
    counts = add(counts, await session(each));
    console.log(`${each.name}: ${Math.round((performance.now() - startedMs) / 1_000)} s`);
  }
  return counts;
}

/** A language that not every machine has is a skip, also where everything else must run. */
async function session(of: Build): Promise<Counts> {
  const lacks = lacking(of);
  if (lacks !== undefined) {
    console.log(`  skip: ${of.name} is not tried: ${lacks}`);
    return { ...NONE, skipped: 1 };
  }
  await build(of);
  const server = await openGuardedServer(TOKEN_LIFE_MS);
  const env = {
    FIRN_TEST_URL: `${server.url}/iceberg`,
    FIRN_TEST_KEY: server.key,
    FIRN_TEST_TOKEN_MS: String(TOKEN_LIFE_MS),
  };
  try {
    const [command, ...args] = of.command;
    return await runProgram({ command, args, env });
  } finally {
    await server.close();
  }
}
