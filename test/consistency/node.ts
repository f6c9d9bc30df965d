import { deepEqual } from "node:assert/strict";
import pino from "pino";
import { createMetrics } from "../../src/base/metrics.ts";
import type { SeededPrng } from "../../src/base/prng.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { Batch, CommitOutcome, PointerStore } from "../../src/pointer/port.ts";
import { type Composition, composeOver, openStores } from "../../src/runtime/compose.ts";
import { mintNodeId } from "../../src/runtime/node-identity.ts";
import type { Settings } from "../../src/runtime/settings.ts";
import type { Stores } from "../../src/runtime/stores.ts";
import type { FirnServer } from "../../src/server/server.ts";
import { wireServer } from "../../src/server/wire.ts";
import { gatedBlobs, gatedPointers } from "../catalog/support/gate.ts";
import { type Answer, type AskOptions, answerOf, Client, headersOf } from "./client.ts";
import type { SharedClock } from "./clock.ts";

/** What an adapter that is broken on purpose puts in the place of another. */
export type Wrap = (stores: Stores, world: Breakable) => Stores;

export interface Breakable {
  readonly clock: SharedClock;
  /** Whether the world is open, which what is broken must not be in the way of. */
  readonly isArmed: () => boolean;
}

/** A node of the profile, wired as a process wires it, and asked as over HTTP. */
export class Node extends Client {
  readonly pointers: PointerStore;
  readonly blobs: BlobStore;
  readonly composition: Composition;
  /** Told of every batch that the node was answered about, before the node is. */
  onCommit: ((batch: Batch, outcome: CommitOutcome) => Promise<void>) | undefined;
  readonly #server: FirnServer;

  private constructor(stores: Stores, composition: Composition, server: FirnServer) {
    super();
    this.pointers = stores.pointers;
    this.blobs = stores.blobs;
    this.composition = composition;
    this.#server = server;
  }

  static async open(
    settings: Settings,
    { clock, isArmed }: Breakable,
    prng: SeededPrng,
    wrap: Wrap = (stores) => stores,
  ): Promise<Node> {
    const nodeId = mintNodeId(prng);
    const components = { clock, prng, nodeId, notify: () => {}, onDefect: () => {} };
    const metrics = createMetrics();
    const opened = wrap(await openStores(settings, components, metrics), { clock, isArmed });
    const hook: { node?: Node } = {};
    const told = async (batch: Batch): Promise<CommitOutcome> => {
      const outcome = await opened.pointers.commit(batch);
      await hook.node?.onCommit?.(batch, outcome);
      return outcome;
    };
    const stores: Stores = {
      ...opened,
      pointers: gatedPointers({ ...gatedPointers(opened.pointers), commit: told }),
      blobs: gatedBlobs(opened.blobs),
    };
    const composition = await composeOver(stores, settings, components, metrics);
    const server = wireServer({
      nodeId,
      clock,
      prng,
      iceberg: composition.iceberg,
      metrics: composition.metrics,
      log: pino({ level: "silent" }),
      ready: () => composition.ready(),
      edge: settings,
      maxInFlight: settings.maxInFlight,
    });
    hook.node = new Node(opened, composition, server);
    return hook.node;
  }

  override async ask(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const { body } = options;
    const headers = { host: "localhost", ...headersOf(options) };
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const answer = await this.#server.inject(method, `/iceberg/v1${path}`, headers, sent);
    const found = new Map(answer.headers.map(([name, value]) => [name.toLowerCase(), value]));
    const text = answer.body === null ? "" : Buffer.from(answer.body).toString("utf8");
    return answerOf(answer.status, found, text);
  }

  /** Opens a port: `http://127.0.0.1:{port}`. */
  async listen(): Promise<string> {
    return this.#server.listen("127.0.0.1", 0);
  }

  /** Ends it as a process ends; one that was overtaken may say so. */
  async close(): Promise<void> {
    await this.#server.stop();
    await this.composition.close().catch(() => undefined);
  }
}

/** Fails unless the answers are these, in any order. */
export function answersAre(answers: readonly Answer[], expected: readonly string[]): void {
  const told = answers.map(({ status, type }) => `${status} ${type}`.trim());
  deepEqual(told.sort(), [...expected].sort());
}
