import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { add, type Counts, missing, ONE_FAILED } from "../counts.ts";
import type { PythonEnvironment } from "../python.ts";
import { BUILDS, type Build, build, lacking } from "./builds.ts";
import { runProgram } from "./program.ts";

/** PostgreSQL's own clients and drivers, each a session against a real server. */

const HERE = import.meta.dirname;
const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

type Environment = Readonly<Record<string, string>>;

interface Client {
  readonly name: string;
  run(env: Environment): Promise<Counts>;
}

/** A program of this folder that needs a command. */
function ofNode(name: string, needs?: readonly [command: string, pack: string]): Client {
  return {
    name,
    run: async (env) => {
      const [command, pack] = needs ?? [];
      if (command !== undefined && spawnSync(command, ["--version"]).status !== 0) {
        return missing(`${name} is not tried: ${command} is not installed (apt: ${pack})`);
      }
      return await runProgram({ command: process.execPath, args: [join(HERE, `${name}.ts`)], env });
    },
  };
}

function ofPython(name: string, python: PythonEnvironment | undefined): Client {
  return {
    name,
    run: async (env) => {
      if (python === undefined) return missing(`${name} is not tried: no Python`);
      const file = `test_${name}.py`;
      return await python.pytest(join(HERE, "python"), ["-p", "no:cacheprovider", file], env);
    },
  };
}

/** Languages that not every machine has are skipped there, also where everything else must run. */
function ofBuild(of: Build): Client {
  return {
    name: of.name,
    run: async (env) => {
      const lacks = lacking(of);
      if (lacks !== undefined) {
        console.log(`  skip: ${of.name} is not tried: ${lacks}`);
        return { ...NONE, skipped: 1 };
      }
      await build(of);
      const [command, ...args] = of.command;
      return await runProgram({ command, args, env });
    },
  };
}

/**
 * @param port where a server that nobody else uses speaks PostgreSQL's protocol.
 * @param names of the clients to run; none: all.
 */
export async function runSqlClients(
  port: number,
  python: PythonEnvironment | undefined,
  names: readonly string[],
): Promise<Counts> {
  const clients: readonly Client[] = [
    ofNode("psql", ["psql", "postgresql-client"]),
    ofNode("node-pg"),
    ofPython("psycopg", python),
    ofPython("asyncpg", python),
    ...BUILDS.map(ofBuild),
    ofNode("pgbench", ["pgbench", "postgresql-contrib"]),
  ];
  const unknown = names.filter((name) => !clients.some((client) => client.name === name));
  if (unknown.length > 0) throw new Error(`no such client: ${unknown.join(", ")}`);
  const env = { PGHOST: "127.0.0.1", PGPORT: `${port}`, PGUSER: "tester", PGDATABASE: "default" };
  let counts = NONE;
  for (const client of clients) {
    if (names.length > 0 && !names.includes(client.name)) continue;
    console.log(`\n${client.name}`);
    counts = add(counts, await attempt(client, env));
  }
  return counts;
}

async function attempt(client: Client, env: Environment): Promise<Counts> {
  try {
    return await client.run(env);
  } catch (error) {
    console.log(`  not ok: ${error instanceof Error ? error.message : error}`);
    return ONE_FAILED;
  }
}
