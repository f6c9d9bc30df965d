import { type Moment, type NodeIdentity, openReader, type ReaderParts } from "../lsm/index.ts";
import { type KeepReplaced, type Manifest, restoreShard } from "../lsm/tools.ts";
import type { Settings } from "../runtime/settings.ts";
import type { ShardHandle } from "../runtime/shard-handle.ts";
import { nameText, placeText, timeText } from "./lsm-text.ts";
import type { Output } from "./output.ts";
import { openShard } from "./shard-at.ts";

/** A restore, as its line was understood. */
export interface RestoreCommand {
  readonly command: "restore";
  readonly at: Settings;
  readonly shard: string;
  readonly moment: Moment;
  /** Says what it would do. */
  readonly dryRun: boolean;
  /** Does it. */
  readonly yes: boolean;
  /** How long what is replaced is kept; undefined: not at all. */
  readonly keepMs: number | undefined;
}

const USAGE = 2;

/**
 * Makes a state of the past the newest one; or says what that would do.
 *
 * @returns the exit code.
 * @throws FirnError as `openShardHandle`, `openReader` and `restoreShard`.
 */
export async function restore(command: RestoreCommand, output: Output): Promise<number> {
  const handle = await openShard(command.at, command.shard, output);
  try {
    if (command.yes && !command.dryRun) return await run(command, handle, output);
    await tell(command, handle, output);
    if (command.dryRun) return 0;
    output.printError("firn: not restored: give --yes to restore, or --dry-run to preview\n");
    return USAGE;
  } finally {
    await handle.close();
  }
}

async function run(
  { at, shard, moment, keepMs }: RestoreCommand,
  { owning, reading }: ShardHandle,
  { print }: Output,
): Promise<number> {
  const parts = { ...owning, log: reading.wal };
  const keep: KeepReplaced | undefined =
    keepMs === undefined ? undefined : { nameOf: nameOfReplaced, ttlMs: keepMs };
  const { sequence, replaced, kept } = await restoreShard(parts, moment, keep);
  print(`restored sequence ${sequence} in place of ${replaced}\n`);
  if (kept === undefined) {
    print("the replaced state is not kept\n");
    return 0;
  }
  const { name, expiresAtMs = 0 } = kept;
  print(
    `the replaced state is checkpoint ${nameText(name)} until ${timeText(expiresAtMs)}; ` +
      "undo with:\n",
  );
  print(`  firn lsm restore ${placeText(at, shard)} --checkpoint ${name} --yes\n`);
  return 0;
}

/** What it would do, as things stand. Nothing is taken over for that. */
async function tell(
  { moment, keepMs }: RestoreCommand,
  { owning, reading }: ShardHandle,
  { print }: Output,
): Promise<void> {
  const target = "checkpoint" in moment ? moment : { at: moment };
  const sequence = await sequenceOf(reading, target);
  const replaced = await sequenceOf(reading, { follow: { pollMs: 0 } });
  print(`would restore sequence ${sequence.read} in place of ${replaced.read}\n`);
  if (keepMs !== undefined) {
    const until = timeText(reading.clock.nowMs() + keepMs);
    print(
      `would keep the replaced state as checkpoint ` +
        `${nameText(nameOfReplaced(replaced.read))} until ${until}\n`,
    );
  }
  print(`${ownerText(replaced.manifest, owning.node)}\n`);
}

async function sequenceOf(
  reading: ReaderParts,
  target: Parameters<typeof openReader>[1],
): Promise<{ readonly read: number; readonly manifest: Manifest }> {
  const reader = await openReader(reading, target);
  try {
    return { read: reader.sequence, manifest: reader.source.manifest };
  } finally {
    await reader.close();
  }
}

function nameOfReplaced(sequence: number): string {
  return `replaced-${sequence}`;
}

function ownerText({ owner }: Manifest, self: NodeIdentity): string {
  if (owner === undefined || owner.state === "FREE") return "no process has the shard open";
  if (self.sight(owner) === "dead") return "the process that owned the shard has ended";
  const { host, pid, url } = owner;
  return `a server has the shard open (${host}, pid ${pid} ${url}): stop it, or give --takeover`;
}
