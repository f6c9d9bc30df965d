import { existsSync } from "node:fs";
import { FirnError } from "../base/error.ts";
import { OperatorClient, type OperatorTarget } from "../http/admin/client.ts";
import { findingLine, summaryLine } from "../http/admin/store-admin.ts";
import { describe } from "../http/failure.ts";
import { checkStores } from "../runtime/check-store.ts";
import { abortAfter, SystemClock } from "../runtime/clock.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { operatorSocket } from "../runtime/operator-place.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import { SYSTEM_SHARD } from "../runtime/shard-parts.ts";
import type { FsckSummary } from "../service/fsck/fsck.ts";
import type { Output } from "./output.ts";
import { operatorTarget, type ServerAt } from "./server-at.ts";

/** A line of `firn fsck`, as it was understood. */
export interface FsckCommand {
  /** A running server; or the stores that settings name. */
  readonly at: ServerAt | Settings;
  readonly repair: boolean;
  readonly json: boolean;
}

/** What a line of a check says: a finding, or what it came to. */
interface Line {
  readonly code?: string;
  readonly level?: string;
  readonly subject?: string;
  readonly repaired?: string;
  readonly summary?: FsckSummary;
}

const CLEAN = 0;
const FOUND = 1;
const NOT_CHECKED = 2;

/**
 * Checks everything that is stored, and prints what it finds. Where a server has a directory open,
 * that server checks it.
 *
 * @returns the exit code: 0 where nothing is damaged, 1 where something is, 2 where it could not be
 *   checked.
 */
export async function fsck(command: FsckCommand, output: Output): Promise<number> {
  try {
    let summary: FsckSummary | undefined;
    for await (const text of linesOf(command, output)) {
      const line = JSON.parse(text) as Line;
      summary = line.summary ?? summary;
      output.print(command.json ? `${text.trimEnd()}\n` : textOf(line, command));
      await output.drained();
    }
    if (summary === undefined) {
      throw new FirnError("Unavailable", "OPERATOR_UNREACHABLE", "the check did not finish");
    }
    const { damage, derived, repaired } = summary;
    return damage + derived - repaired === 0 ? CLEAN : FOUND;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    output.printError(`firn: ${describe(error.message, error.context)} [${error.code}]\n`);
    if (error.code === "LSM_OWNED") output.printError(OWNED_HELP);
    if (error.code === "LSM_NO_SHARD") output.printError(NO_STORE_HELP);
    return NOT_CHECKED;
  }
}

const OWNED_HELP = `A running server owns the store. Ask that server:
  firn fsck http://127.0.0.1:8181 --dir DIR
`;
const NO_STORE_HELP = `Name a store with --profile and its options, or a running server by its URL.
A server of profile memory cannot be checked by a command: use Firn.check() in its process.
`;

async function* linesOf(command: FsckCommand, output: Output): AsyncGenerator<string> {
  const { at, repair } = command;
  if ("server" in at) {
    yield* remote(await operatorTarget(at), repair);
    return;
  }
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const components = {
    clock,
    prng,
    nodeId: mintNodeId(prng),
    onDefect: () => undefined,
    notify: (text: string) => output.printError(`${text}\n`),
  };
  const run = checkStores(at, components, repair);
  try {
    for (;;) {
      const step = await run.next();
      yield step.done === true ? summaryLine(step.value) : findingLine(step.value);
      if (step.done === true) return;
    }
  } catch (error) {
    const socketPath = operatorSocket(at.dir);
    const isServed = error instanceof FirnError && error.code === "LSM_OWNED";
    if (!isServed || at.profile !== "local" || !existsSync(socketPath)) throw error;
    yield* remote({ socketPath }, repair);
  } finally {
    await run.return(undefined as never);
  }
}

function remote(target: OperatorTarget, repair: boolean): AsyncGenerator<string> {
  return new OperatorClient(target, SYSTEM_SHARD, abortAfter).fsck(repair);
}

function textOf(line: Line, { repair }: FsckCommand): string {
  const { code, level, subject, repaired, summary, ...facts } = line;
  if (summary !== undefined) return summaryText(summary, repair);
  const words = Object.entries(facts).map(([name, value]) => ` ${name}=${String(value)}`);
  const outcome = repaired === undefined ? "" : ` [${repaired}]`;
  return `${level} ${code} ${subject}${words.join("")}${outcome}\n`;
}

function summaryText(summary: FsckSummary, repair: boolean): string {
  const { pointers, payloads, damage, derived, leftover, repaired, busy, tookMs } = summary;
  const done = repair ? `, ${repaired} repaired` : "";
  const skipped = busy === 0 ? "" : `; ${busy} pointers changed too often to be judged`;
  return (
    `${pointers} pointers and ${payloads} payloads in ${tookMs} ms: ${damage} damaged, ` +
    `${derived} derived findings${done}, ${leftover} leftovers${skipped}\n`
  );
}
