import { existsSync } from "node:fs";
import { FirnError } from "../base/error.ts";
import { OperatorClient, type OperatorTarget } from "../http/admin/client.ts";
import { gcLine } from "../http/admin/gc-admin.ts";
import { describe } from "../http/failure.ts";
import { abortAfter, SystemClock } from "../runtime/clock.ts";
import { collectStores } from "../runtime/collect-store.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { operatorSocket } from "../runtime/operator-place.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import { SYSTEM_SHARD } from "../runtime/shard-parts.ts";
import type { GcAnswer } from "../service/gc/now.ts";
import { GARBAGE_KINDS } from "../service/gc/report.ts";
import type { Output } from "./output.ts";
import { operatorTarget, type ServerAt } from "./server-at.ts";

/** A line of `firn gc`, as it was understood. */
export interface GcCommand {
  /** A running server; or the stores that settings name. */
  readonly at: ServerAt | Settings;
  readonly force: boolean;
  readonly json: boolean;
}

/**
 * Prints what a collection would delete, or has it take its next step. Where a server has a
 * directory open, that server does it.
 *
 * @returns the exit code: 0, or 1 where it could not be done.
 */
export async function gc(command: GcCommand, output: Output): Promise<number> {
  try {
    const answer = await answerOf(command, output);
    output.print(command.json ? gcLine(answer) : textOf(answer));
    return 0;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    output.printError(`firn: ${describe(error.message, error.context)} [${error.code}]\n`);
    if (error.code === "LSM_OWNED") output.printError(OWNED_HELP);
    if (error.code === "LSM_NO_SHARD") output.printError(NO_STORE_HELP);
    return 1;
  }
}

const OWNED_HELP = `A running server owns the store. Ask that server:
  firn gc http://127.0.0.1:8181 --dir DIR
`;
const NO_STORE_HELP = `Name a store with --profile and its options, or a running server by its URL.
`;

async function answerOf({ at, force }: GcCommand, output: Output): Promise<GcAnswer> {
  if ("server" in at) return remote(await operatorTarget(at), force);
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const components = {
    clock,
    prng,
    nodeId: mintNodeId(prng),
    onDefect: () => undefined,
    notify: () => undefined,
    warn: (text: string, facts: object) => output.printError(`${text} ${JSON.stringify(facts)}\n`),
  };
  try {
    return await collectStores(at, components, force);
  } catch (error) {
    const socketPath = operatorSocket(at.dir);
    const isServed = error instanceof FirnError && error.code === "LSM_OWNED";
    if (!isServed || at.profile !== "local" || !existsSync(socketPath)) throw error;
    return remote({ socketPath }, force);
  }
}

async function remote(target: OperatorTarget, force: boolean): Promise<GcAnswer> {
  for await (const line of new OperatorClient(target, SYSTEM_SHARD, abortAfter).gc(force)) {
    return JSON.parse(line) as GcAnswer;
  }
  throw new FirnError("Unavailable", "OPERATOR_UNREACHABLE", "the collection did not finish");
}

function textOf({ mode, report, secondMarkMs }: GcAnswer): string {
  const { garbage, pointers, payloads, payloadBytes, unknownPaths, unreadableTables } = report;
  const verb = mode === "dry-run" ? "would delete" : "deleted";
  const lines = [`read ${pointers} pointers and ${payloads} payloads (${payloadBytes} bytes)`];
  for (const kind of GARBAGE_KINDS) {
    const { count, bytes } = garbage[kind];
    if (count > 0) lines.push(`${verb} ${kind}: ${count}${bytes === 0 ? "" : ` (${bytes} bytes)`}`);
  }
  if (lines.length === 1) lines.push(mode === "dry-run" ? "no garbage" : "deleted nothing");
  if (unknownPaths > 0) lines.push(`kept ${unknownPaths} objects of unknown names`);
  if (unreadableTables > 0) lines.push(`kept what ${unreadableTables} unreadable tables lead to`);
  if (secondMarkMs !== undefined) {
    lines.push(`the second mark may begin at ${new Date(secondMarkMs).toISOString()}`);
  }
  return `${lines.join("\n")}\n`;
}
