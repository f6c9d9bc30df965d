import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadModule } from "libpg-query";
import { finish, missing } from "../../clients/counts.ts";
import { postgresPrograms } from "../../support/postgres-server.ts";
import type { Answer } from "../../support/postgres-wire.ts";
import { isolationProblems } from "./isolation.ts";
import { Judge, type Verdict } from "./judge.ts";
import type { Step } from "./read-script.ts";
import { regressionScripts } from "./scripts.ts";
import { type Servers, startServers, withData } from "./servers.ts";
import { statementOf } from "./statement.ts";

/** What the suite holds each script to. */
interface Expected {
  /** Percent of the statements that must be answered the same. */
  readonly least: Readonly<Record<string, number>>;
  /** Statements that are answered otherwise, and why. */
  readonly known: readonly { file: string; sql: string; why: string }[];
}

interface Judged {
  readonly step: Step;
  readonly verdict: Verdict;
  readonly expected: readonly Answer[];
  readonly actual: readonly Answer[];
}

const FILE = join(import.meta.dirname, "expected.json");
const SHOWN = 160;

const nameOf = (sql: string): string => sql.replace(/\s+/g, " ").slice(0, SHOWN);

async function runScript(servers: Servers, name: string): Promise<readonly Judged[]> {
  const reader = servers.scripts.open(name);
  const text = readFileSync(join(servers.scripts.folder, "sql", `${name}.sql`), "utf8");
  const [postgres, firn] = [await servers.postgres(text), await servers.firn(text)];
  const judge = new Judge();
  judge.taint(firn.lacking);
  const judged: Judged[] = [];
  try {
    for (let step = reader.next(); step !== undefined; step = reader.next()) {
      const statement = statementOf(step.sql);
      const sent = withData(step);
      const isPlan = statement.isExplain;
      const expected = isPlan ? [] : await postgres.run(sent);
      const actual = isPlan ? [] : await firn.run(sent);
      const status = { expected: postgres.status, actual: firn.status };
      const verdict = judge.judge(statement, expected, actual, status);
      judged.push({ step, verdict, expected, actual });
      if (step.sets !== undefined) {
        const { columns = [], rows = [] } = expected.at(-1) ?? {};
        for (const [i, column] of columns.entries()) {
          reader.variables.set(`${step.sets}${column}`, rows[0]?.[i] ?? "");
        }
      }
    }
  } finally {
    await postgres.end();
    await firn.end();
  }
  return judged;
}

function shown(answers: readonly Answer[]): string {
  return answers
    .map(({ error, columns, types, rows, tag }) => {
      if (error !== undefined) return `${error.sqlState} ${error.message}`;
      const head = columns.map((column, i) => `${column}:${types[i]}`).join(", ");
      const lines = rows.slice(0, 12).map((row) => `      ${JSON.stringify(row)}`);
      return [`${tag} (${head})`, ...lines].join("\n");
    })
    .join("; ");
}

interface Score {
  readonly name: string;
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly percent: number;
  readonly unlisted: readonly Judged[];
}

function scoreOf(name: string, judged: readonly Judged[], known: Expected["known"]): Score {
  const counts = { same: 0, refused: 0, dependent: 0, wrong: 0, plan: 0 };
  for (const { verdict } of judged) counts[verdict]++;
  const of = judged.length - counts.plan;
  const percent = of === 0 ? 100 : Math.floor((1_000 * counts.same) / of) / 10;
  const listed = new Set(known.filter(({ file }) => file === name).map(({ sql }) => sql));
  const unlisted = judged.filter(
    ({ verdict, step }) => verdict === "wrong" && !listed.has(nameOf(step.sql)),
  );
  return { name, counts, percent, unlisted };
}

function print(judged: readonly Judged[], verdict: Verdict): void {
  for (const { step, expected, actual } of judged.filter((each) => each.verdict === verdict)) {
    console.log(`${verdict} at line ${step.line}: ${step.sql}`);
    console.log(`    PostgreSQL: ${shown(expected)}\n    Firn:       ${shown(actual)}`);
  }
}

function line({ name, counts, percent }: Score): string {
  const cells = Object.values(counts).map((count) => String(count).padStart(9));
  return `${name.padEnd(18)}${cells.join("")}${percent.toFixed(1).padStart(8)}`;
}

/**
 * Runs PostgreSQL 15's regression scripts on PostgreSQL and on Firn, and compares the answers of
 * every statement: columns, types, rows, SQLSTATE. Fails for a statement that is answered wrongly
 * and is not listed, and for a script of which less is answered the same than `expected.json` says.
 */
async function main(): Promise<void> {
  const options = {
    only: { type: "string" },
    show: { type: "string" },
    write: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ options });
  const programs = postgresPrograms();
  if (programs === undefined) {
    finish(missing("skipped: PostgreSQL 15 is not installed"));
    return;
  }
  const expected: Expected = JSON.parse(readFileSync(FILE, "utf8"));
  const wanted = values.only?.split(",");
  const names = Object.keys(expected.least).filter((name) => wanted?.includes(name) ?? true);
  await loadModule();
  const servers = await startServers(programs, regressionScripts());
  const scores: Score[] = [];
  let problems: readonly string[] = [];
  try {
    if (wanted === undefined) problems = await isolationProblems(servers.connect);
    for (const name of names) {
      const judged = await runScript(servers, name);
      const score = scoreOf(name, judged, expected.known);
      scores.push(score);
      for (const verdict of (values.show?.split(",") ?? []) as Verdict[]) print(judged, verdict);
      print(score.unlisted, "wrong");
    }
  } finally {
    await servers.stop();
  }
  report(scores, expected, problems);
  if (values.write === true) {
    const least = Object.fromEntries(scores.map(({ name, percent }) => [name, percent]));
    const renewed = { ...expected, least: { ...expected.least, ...least } };
    writeFileSync(FILE, `${JSON.stringify(renewed, undefined, 2)}\n`);
  }
}

function report(scores: readonly Score[], { least }: Expected, problems: readonly string[]): void {
  const head = ["same", "refused", "dependent", "wrong", "plan"].map((each) => each.padStart(9));
  console.log(`${"script".padEnd(18)}${head.join("")}${"same %".padStart(8)}`);
  const failures: string[] = [...problems];
  let passed = 0;
  for (const score of scores) {
    console.log(line(score));
    const { name, percent, unlisted, counts } = score;
    passed += counts.same;
    if (unlisted.length > 0) failures.push(`${name}: ${unlisted.length} wrong answers`);
    const floor = least[name] ?? 0;
    if (percent < floor) failures.push(`${name}: ${percent} % the same, less than ${floor}`);
  }
  for (const failure of failures) console.log(failure);
  finish({ passed, failed: failures.length, skipped: 0 });
}

await main();
