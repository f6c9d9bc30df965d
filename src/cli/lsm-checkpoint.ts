import { OperatorClient } from "../http/admin/client.ts";
import { Engine, type NamedState } from "../lsm/index.ts";
import { ExternalCheckpoints } from "../lsm/tools.ts";
import { abortAfter } from "../runtime/clock.ts";
import type { Settings } from "../runtime/settings.ts";
import type { ShardHandle } from "../runtime/shard-handle.ts";
import { nameText, stateText } from "./lsm-text.ts";
import type { Output } from "./output.ts";
import { operatorTarget, type ServerAt } from "./server-at.ts";
import { openShard } from "./shard-at.ts";

/** A line about checkpoints of a shard, as it was understood. */
export type CheckpointCommand = {
  /** By a running server; or by this process, in what settings name. */
  readonly at: ServerAt | Settings;
  readonly shard: string;
} & (
  | {
      readonly command: "checkpoint create";
      readonly name: string;
      /** Until it is deleted if undefined. */
      readonly ttlMs: number | undefined;
    }
  | { readonly command: "checkpoint list" }
  | { readonly command: "checkpoint delete"; readonly name: string }
);

/** @returns the exit code. @throws FirnError what is wrong with it, or with the shard. */
export async function checkpoint(command: CheckpointCommand, output: Output): Promise<number> {
  const checkpoints = await open(command, output);
  try {
    switch (command.command) {
      case "checkpoint create": {
        const made = await checkpoints.create(command.name, command.ttlMs);
        output.print(`${stateText(made)}\n`);
        return 0;
      }
      case "checkpoint list": {
        const found = await checkpoints.list();
        for (const one of found) output.print(`${stateText(one)}\n`);
        if (found.length === 0) output.print("no checkpoints\n");
        return 0;
      }
      case "checkpoint delete":
        await checkpoints.delete(command.name);
        output.print(`deleted ${nameText(command.name)}\n`);
        return 0;
    }
  } finally {
    await checkpoints.close();
  }
}

/** Checkpoints of a shard, through a server or directly. */
interface Asked {
  create(name: string, ttlMs: number | undefined): Promise<NamedState>;
  list(): Promise<readonly NamedState[]>;
  delete(name: string): Promise<unknown>;
  close(): Promise<void>;
}

async function open({ at, shard }: CheckpointCommand, output: Output): Promise<Asked> {
  if ("server" in at) {
    const client = new OperatorClient(await operatorTarget(at), shard, abortAfter);
    return {
      create: (name, ttlMs) =>
        client.checkpoint({ name, ...(ttlMs === undefined ? {} : { ttlMs }) }),
      list: async () => (await client.checkpoints()).checkpoints,
      delete: (name) => client.deleteCheckpoint(name),
      close: async () => {},
    };
  }
  const handle = await openShard(at, shard, output);
  const stored = new ExternalCheckpoints(handle.reading);
  return {
    create: async (name, ttlMs) =>
      (await stored.create(name, ttlMs)) ?? (await createAsOwner(handle, name, ttlMs)),
    list: () => stored.list(),
    delete: (name) => stored.delete(name),
    close: () => handle.close(),
  };
}

/** Takes the shard over, as its owner ended without releasing it, and releases it. */
async function createAsOwner(
  { owning }: ShardHandle,
  name: string,
  ttlMs: number | undefined,
): Promise<NamedState> {
  const engine = await Engine.open(owning);
  try {
    return await engine.checkpoint(name, ttlMs === undefined ? {} : { ttlMs });
  } finally {
    await engine.close();
  }
}
