import { BenchClient } from "./client.ts";
import {
  type Head,
  linearHistory,
  type NewSnapshot,
  NO_HEAD,
  nextSnapshotId,
  type PreparedTable,
  SCHEMA,
  snapshotText,
} from "./history.ts";

/** The most clients of any cell, and so the most connections. */
const CONNECTIONS = 64;
/** Snapshots of one request: a longer history is made by several, as no server takes any body. */
const SNAPSHOTS_A_COMMIT = 500;

/** A table that a client appends to, with what it knows of it. */
export interface OwnTable {
  readonly name: string;
  readonly uuid: string;
  readonly location: string;
  head: Head;
}

/**
 * A server under test, spoken to over the wire protocol alone: whatever is measured, every server
 * gets the same bytes.
 */
export class Target {
  readonly name: string;
  readonly pid: number;
  readonly client: BenchClient;
  readonly #prefix: string;

  constructor(
    name: string,
    server: { readonly url: string; readonly pid: number },
    prefix: string,
  ) {
    this.name = name;
    this.pid = server.pid;
    this.client = new BenchClient(server.url, CONNECTIONS);
    this.#prefix = prefix;
  }

  tables(namespace: string): string {
    return `${this.#prefix}/namespaces/${namespace}/tables`;
  }

  async createNamespace(name: string): Promise<void> {
    const body = JSON.stringify({ namespace: [name] });
    await this.client.send("POST", `${this.#prefix}/namespaces`, body);
  }

  async createTable(
    namespace: string,
    name: string,
    properties: Readonly<Record<string, string>> = {},
  ): Promise<OwnTable> {
    const body = JSON.stringify({ name, schema: SCHEMA, properties });
    return ownTable(name, await this.client.send("POST", this.tables(namespace), body), NO_HEAD);
  }

  async register(namespace: string, name: string, table: PreparedTable): Promise<OwnTable> {
    const body = JSON.stringify({ name, "metadata-location": table.metadataLocation });
    const path = `${this.#prefix}/namespaces/${namespace}/register`;
    return ownTable(name, await this.client.send("POST", path, body), table.head);
  }

  /** A table with a history, made by commits: for a server that reads no file of ours. */
  async createWithHistory(namespace: string, name: string, snapshots: number): Promise<OwnTable> {
    const table = await this.createTable(namespace, name, { owner: "bench" });
    const history = linearHistory(snapshots, table.location);
    for (let at = 0; at < history.length; at += SNAPSHOTS_A_COMMIT) {
      const part = history.slice(at, at + SNAPSHOTS_A_COMMIT);
      await this.client.send(
        "POST",
        `${this.tables(namespace)}/${name}`,
        commitText(table.uuid, "", part),
      );
    }
    table.head = { snapshotId: history.at(-1)?.id, sequenceNumber: snapshots };
    return table;
  }

  async setProperty(namespace: string, table: OwnTable, value: string): Promise<void> {
    const requirement = `{"type":"assert-table-uuid","uuid":"${table.uuid}"}`;
    const update = `{"action":"set-properties","updates":{"value":"${value}"}}`;
    const body = `{"requirements":[${requirement}],"updates":[${update}]}`;
    await this.client.send("POST", `${this.tables(namespace)}/${table.name}`, body);
  }

  /**
   * Appends one snapshot as an engine does: it builds on the head that it knows and requires that
   * this still is the head.
   *
   * @returns false where somebody else was first.
   */
  async append(namespace: string, table: OwnTable, head: Head): Promise<boolean> {
    const sequenceNumber = head.sequenceNumber + 1;
    const id = nextSnapshotId();
    const snapshot = {
      id,
      parent: head.snapshotId,
      sequenceNumber,
      timestampMs: Date.now(),
      root: table.location,
    };
    const onHead =
      `,{"type":"assert-ref-snapshot-id","ref":"main",` +
      `"snapshot-id":${head.snapshotId ?? "null"}}`;
    const done = await this.#commit(namespace, table, commitText(table.uuid, onHead, [snapshot]));
    if (done) table.head = { snapshotId: id, sequenceNumber };
    return done;
  }

  /**
   * Appends one snapshot to a table of format version 1 and asks for nothing but the table: no
   * other append contradicts it, so a refusal is the server's own lost race.
   *
   * @returns false where it was refused.
   */
  async appendBlind(namespace: string, table: OwnTable): Promise<boolean> {
    const snapshot = {
      id: nextSnapshotId(),
      parent: undefined,
      sequenceNumber: undefined,
      timestampMs: Date.now(),
      root: table.location,
    };
    return this.#commit(namespace, table, commitText(table.uuid, "", [snapshot]));
  }

  /** The head of main, from a load of the table. */
  async loadHead(namespace: string, table: OwnTable): Promise<Head> {
    const text = await this.client.send("GET", `${this.tables(namespace)}/${table.name}`);
    const id = /"current-snapshot-id":(-?\d+|null)/.exec(text)?.[1];
    const sequence = /"last-sequence-number":(\d+)/.exec(text)?.[1];
    if (id === undefined || sequence === undefined) throw new Error("a table without a head");
    const none = id === "null" || id === "-1";
    return { snapshotId: none ? undefined : BigInt(id), sequenceNumber: Number(sequence) };
  }

  async #commit(namespace: string, table: OwnTable, body: string): Promise<boolean> {
    const path = `${this.tables(namespace)}/${table.name}`;
    const answer = await this.client.exchange("POST", path, body);
    if (answer.status === 200) return true;
    if (answer.status === 409) return false;
    const text = answer.body.toString("utf8").slice(0, 300);
    throw new Error(`POST ${path} answered ${answer.status}: ${text}`);
  }
}

function commitText(uuid: string, requirement: string, added: readonly NewSnapshot[]): string {
  const updates = added.map(
    (snapshot) => `{"action":"add-snapshot","snapshot":${snapshotText(snapshot)}}`,
  );
  const head = added.at(-1)?.id;
  updates.push(
    `{"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":${head}}`,
  );
  return (
    `{"requirements":[{"type":"assert-table-uuid","uuid":"${uuid}"}${requirement}],` +
    `"updates":[${updates.join(",")}]}`
  );
}

function ownTable(name: string, answer: string, head: Head): OwnTable {
  const made = JSON.parse(answer) as {
    readonly metadata: { readonly "table-uuid": string; readonly location: string };
  };
  return { name, uuid: made.metadata["table-uuid"], location: made.metadata.location, head };
}
