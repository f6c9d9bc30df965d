import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { add, type Counts, finish, missing, ONE_FAILED } from "../clients/counts.ts";
import { findPython, PythonEnvironment } from "../clients/python.ts";
import { wholeNumber } from "../support/arguments.ts";
import { ADMIN_KEY, openClockedServer } from "./clocked-server.ts";
import { startKeycloak } from "./keycloak.ts";
import { Matrix } from "./probes/matrix.ts";
import { Probes } from "./probes/probe.ts";
import { tellMatrix, tellProbes, unreached } from "./probes/summary.ts";
import { tokenClients } from "./token-clients.ts";

/*
 * What needs more than `npm test` gives it: 10,000 probes of isolation (`--probes N`, `--seed N`),
 * every operation by every privilege, an OpenID Connect provider that signs tokens, and clients
 * whose sessions outlive their tokens. Arguments choose among them: `probes`, `matrix`, `oidc`,
 * `pyiceberg`; and `clients`, which run when they are asked for, since their builds take minutes.
 * `--keycloak` has Keycloak sign tokens, too: it starts for minutes.
 */

const CLIENTS = join(import.meta.dirname, "..", "clients");
const ONE_PASSED: Counts = { passed: 1, failed: 0, skipped: 0 };

const PROBES = 10_000;

async function isolation({ probes: count, seed }: Asked): Promise<Counts> {
  const probes = await Probes.open(seed);
  try {
    const tally = await probes.run(count, seed);
    tellProbes(tally, seed);
    const untried = count < PROBES ? [] : unreached(tally);
    if (untried.length > 0) console.log(`not one probe reached ${untried.join(", ")}`);
    return tally.findings.length + untried.length > 0 ? ONE_FAILED : ONE_PASSED;
  } finally {
    await probes.close();
  }
}

async function privileges({ seed }: Asked): Promise<Counts> {
  const matrix = await Matrix.open(seed);
  try {
    return tellMatrix(await matrix.run(seed), seed) ? ONE_PASSED : ONE_FAILED;
  } finally {
    await matrix.close();
  }
}

async function parties({ keycloak }: Asked): Promise<Counts> {
  if (!keycloak) return vitest({});
  const server = await startKeycloak();
  if (typeof server === "string") return add(missing(server), await vitest({}));
  try {
    return await vitest({ FIRN_TEST_KEYCLOAK: server.url });
  } finally {
    await server.stop();
  }
}

async function vitest(env: Readonly<Record<string, string>>): Promise<Counts> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project", "access"];
  const child = spawn(process.execPath, args, {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0 ? ONE_PASSED : ONE_FAILED;
}

async function pyiceberg(): Promise<Counts> {
  const python = findPython();
  if (python === undefined) return missing("PyIceberg is not tried: no Python 3.10 with venv");
  const environment = new PythonEnvironment(
    join(CLIENTS, ".venv"),
    join(CLIENTS, "requirements.txt"),
  );
  await environment.prepare(python);
  const server = await openClockedServer();
  try {
    return await environment.pytest(join(import.meta.dirname, "pyiceberg"), [], {
      FIRN_TEST_URL: server.url,
      FIRN_TEST_CLOCK: server.clockUrl,
      FIRN_TEST_KEY: ADMIN_KEY,
    });
  } finally {
    await server.close();
  }
}

type Party = (asked: Asked) => Promise<Counts>;

const PARTIES: Readonly<Record<string, Party>> = {
  probes: isolation,
  matrix: privileges,
  oidc: parties,
  pyiceberg,
  clients: tokenClients,
};
const USUAL: readonly string[] = Object.keys(PARTIES).filter((name) => name !== "clients");

interface Asked {
  readonly names: readonly string[];
  readonly probes: number;
  readonly seed: number;
  readonly keycloak: boolean;
}

function read(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      probes: { type: "string" },
      seed: { type: "string" },
      keycloak: { type: "boolean", default: false },
    },
  });
  return {
    names: positionals.length === 0 ? USUAL : positionals,
    keycloak: values.keycloak,
    probes: wholeNumber("probes", values.probes ?? String(PROBES)),
    seed: wholeNumber("seed", values.seed ?? String(Date.now() % 2 ** 31)),
  };
}

async function main(asked: Asked): Promise<Counts> {
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const name of asked.names) {
    const party = PARTIES[name];
    if (party === undefined) throw new Error(`no such party: ${name}`);
    counts = add(counts, await party(asked));
  }
  return counts;
}

finish(await main(read(process.argv.slice(2))));
