import { parseArgs } from "node:util";
import { type Counts, finish, missing } from "../../clients/counts.ts";
import { wholeNumber } from "../../support/arguments.ts";
import { postgresPrograms, startPostgres } from "../../support/postgres-server.ts";
import { PostgresWire } from "../../support/postgres-wire.ts";
import { type Compared, compare, prepare } from "./compare.ts";
import type { Outcome } from "./evaluate.ts";
import { Generator } from "./generate.ts";

const SHOWN = 60;

function shown(outcome: Outcome): string {
  if ("error" in outcome) return `${outcome.error} ${outcome.message}`;
  return `${outcome.text === null ? "NULL" : JSON.stringify(outcome.text)} (type ${outcome.type})`;
}

function tally(compared: readonly Compared[]): Counts {
  const count = (verdict: string): number => compared.filter((c) => c.verdict === verdict).length;
  const refused = new Map<string, number>();
  for (const { actual, verdict } of compared) {
    if (verdict !== "refused" || !("error" in actual)) continue;
    refused.set(actual.message, (refused.get(actual.message) ?? 0) + 1);
  }
  for (const [message, times] of [...refused].sort(([, a], [, b]) => b - a).slice(0, SHOWN)) {
    console.log(`refused ${times} ×: ${message}`);
  }
  for (const each of compared.filter((c) => c.verdict === "different").slice(0, SHOWN)) {
    console.log(`SELECT ${each.sql};\n    PostgreSQL: ${shown(each.expected)}`);
    console.log(`    Firn:       ${shown(each.actual)}`);
  }
  console.log(
    `${count("same")} same, ${count("allowed")} within the C library's last digit, ` +
      `${count("refused")} refused, ${count("different")} different`,
  );
  const failed = count("different");
  return { passed: compared.length - failed, failed, skipped: 0 };
}

/**
 * Compares expressions with PostgreSQL 15: values, types and SQLSTATEs are the same, or Firn
 * refuses with 0A000. `--port` names a server that runs already.
 */
export async function fuzzSql(args: readonly string[]): Promise<void> {
  const options = {
    seed: { type: "string" },
    only: { type: "string" },
    port: { type: "string" },
  } as const;
  const { values } = parseArgs({ args: args.slice(1), options });
  const count = wholeNumber("sql", args[0] ?? "10000");
  const { port, only } = values;
  const programs = port === undefined ? postgresPrograms() : undefined;
  if (port === undefined && programs === undefined) {
    finish(missing("skipped: PostgreSQL 15 is not installed"));
    return;
  }
  const server = programs === undefined ? undefined : await startPostgres(programs);
  try {
    const wire = await (server?.connect() ?? PostgresWire.connect(Number(port)));
    await prepare(wire);
    const seed = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 30));
    const generator = new Generator(seed, only === undefined ? undefined : new RegExp(only));
    console.log(`seed ${seed}, ${generator.size} operators and functions`);
    const expressions = Array.from({ length: count }, (_, i) => generator.expression(i));
    const compared = await compare(wire, expressions);
    wire.close();
    finish(tally(compared));
  } finally {
    await server?.stop();
  }
}
