import { expect } from "vitest";
import type {
  Batch,
  CommitOutcome,
  Item,
  PointerOp,
  PointerStore,
  Version,
} from "../../src/pointer/port.ts";
import { FaultyPointerStore, type Script } from "../support/faulty-pointer-store.ts";

/** What differs between adapters that all keep the contract. */
export interface PointerStoreCapabilities {
  /** Committed answers name the new version of a bumped key too. */
  readonly bumpVersions: boolean;
  /** `sweep` answers in key order (else in an order of its own). */
  readonly sweepOrder: boolean;
  /** Rounds and writers of each race; 100 × 24 if absent. */
  readonly races?: { readonly rounds: number; readonly writers: number };
  /** Runs of the property against the model; 60 if absent. */
  readonly modelRuns?: number;
}

/** A store to be checked, opened on `TEST_FAMILIES`. Checks share it, each in its own space. */
export interface PointerStoreSubject {
  readonly store: PointerStore;
  /** The store's wall time; the system's if absent. */
  readonly nowMs?: () => number;
  /** Lets the store's time pass; without it, what only time shows is not checked. */
  readonly advance?: (ms: number) => Promise<void>;
  /** This adapter above a bad network; the decorator around the adapter if absent. */
  readonly faulty?: (script: Script) => PointerStore;
  readonly close?: () => Promise<void>;
}

/** A corner of the store that one check has for itself, and shorthands to work in it. */
export class Space {
  readonly subject: PointerStoreSubject;
  readonly capabilities: PointerStoreCapabilities;
  readonly root: string;

  constructor(subject: PointerStoreSubject, capabilities: PointerStoreCapabilities, name: string) {
    this.subject = subject;
    this.capabilities = capabilities;
    this.root = `/test/${name}`;
  }

  get store(): PointerStore {
    return this.subject.store;
  }

  /** Not listed. */
  entity(id: string | number): string {
    return `${this.root}/entities/by-id/${id}`;
  }

  get names(): string {
    return `${this.root}/entities/by-name`;
  }

  /** Listed. */
  name(name: string): string {
    return `${this.names}/${name}`;
  }

  guard(id: string | number): string {
    return `${this.root}/guards/${id}`;
  }

  receipt(key: string | number): string {
    return `${this.root}/receipts/op/${key}`;
  }

  /** Of a family with longer summaries. */
  record(id: string | number): string {
    return `${this.root}/records/${id}`;
  }

  nowMs(): number {
    return this.subject.nowMs?.() ?? Date.now();
  }

  faulty(script: Script): PointerStore {
    return this.subject.faulty?.(script) ?? new FaultyPointerStore(this.store, script);
  }

  /** Sends a batch; again where the store was busy, which says nothing of the contract. */
  async send(writerId: string, ...ops: readonly PointerOp[]): Promise<CommitOutcome> {
    return sendWhileBusy(this.store, { writerId, ops });
  }

  async commit(writerId: string, ...ops: readonly PointerOp[]): Promise<void> {
    expect(await this.send(writerId, ...ops)).toMatchObject({ outcome: "committed" });
  }

  /** Expects a conflict; answers what was found. */
  async refuse(writerId: string, ...ops: readonly PointerOp[]): Promise<readonly Item[]> {
    const answer = await this.send(writerId, ...ops);
    expect(answer.outcome).toBe("conflict");
    return answer.outcome === "conflict" ? answer.failed : [];
  }

  /** A tombstone at version 2. */
  async kill(key: string): Promise<void> {
    await this.commit("creator", put(key));
    await this.commit("killer", del(key, 1n));
  }

  async swept(prefix: string = `${this.root}/`): Promise<readonly Item[]> {
    const items: Item[] = [];
    for await (const item of this.store.sweep(prefix)) items.push(item);
    return items;
  }
}

export type Check = (store: PointerStore, space: Space) => Promise<void>;
export type Checks = Readonly<Record<string, Check>>;

export function put(key: string, expected: Version = 0n, blobPath?: string): PointerOp {
  return { op: "put", key, expected, ...(blobPath !== undefined && { blobPath }) };
}

export function del(key: string, expected: Version): PointerOp {
  return { op: "delete", key, expected };
}

/** Overload is an honest answer to a race: the racer comes again. */
export async function sendWhileBusy(store: PointerStore, batch: Batch): Promise<CommitOutcome> {
  for (let tries = 0; ; tries++) {
    const answer = await store.commit(batch);
    if (answer.outcome !== "overloaded" || tries >= 1_000) return answer;
    await new Promise((resolve) => setTimeout(resolve, Math.min(answer.retryAfterMs, 50)));
  }
}
