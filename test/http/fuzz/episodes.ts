import fc from "fast-check";
import { readContract } from "../../support/iceberg-contract.ts";
import type { Finding } from "./finding.ts";
import { problemOf } from "./judge.ts";
import { type AnyShot, bytesOf, type Shot, shotsOf } from "./shots.ts";
import { Tally } from "./tally.ts";
import { type Facts, raw } from "./text.ts";
import { exchange, parseAnswer } from "./wire.ts";

/** Requests of one episode, beside those that make what it is about. */
const MOST_SHOTS = 30;
/** Episodes between two looks at how many requests have been sent. */
const BATCH = 25;

class Wrong extends Error {
  readonly sent: readonly Buffer[];
  readonly received: string;

  constructor(problem: string, sent: readonly Buffer[], received: string) {
    super(problem);
    this.sent = sent;
    this.received = received;
  }
}

/**
 * Episodes of requests against one server: each makes a namespace of its own with a table and a
 * view, and then whatever the contract, and malice, come up with. What a request says of things
 * that only the server knows is filled in from its answers, so that the same seed asks the same.
 */
export class Fuzzer {
  readonly #port: number;
  readonly tally: Tally = new Tally();
  #episodes = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends at least as many requests, or stops at the first finding, made as small as it goes. */
  async run(requests: number, seed: number): Promise<Finding | undefined> {
    for (let batch = 0; this.tally.sent < requests; batch++) {
      const finding = await this.#check({ seed: seed + batch, numRuns: BATCH });
      if (finding !== undefined) return finding;
    }
    return undefined;
  }

  /** Sends the one episode again that a finding named. */
  replay(seed: number, path: string): Promise<Finding | undefined> {
    return this.#check({ seed, path, numRuns: 1, endOnFailure: true });
  }

  async #check(parameters: fc.Parameters<[AnyShot[]]>): Promise<Finding | undefined> {
    const shots = fc.array(shotsOf(readContract()), { maxLength: MOST_SHOTS, size: "max" });
    const property = fc.asyncProperty(shots, (sequence) => this.#episode(sequence));
    const details = await fc.check(property, parameters);
    if (!details.failed) return undefined;
    const { seed, counterexamplePath, errorInstance: wrong } = details;
    if (!(wrong instanceof Wrong)) throw wrong;
    const { message: problem, sent, received } = wrong;
    return { problem, sent, received, seed, path: counterexamplePath ?? "" };
  }

  async #episode(shots: readonly AnyShot[]): Promise<void> {
    const facts = new EpisodeFacts(++this.#episodes);
    const sent: Buffer[] = [];
    for (const shot of [...SETTING, ...shots]) {
      const bytes = "operation" in shot ? bytesOf(shot, facts.of(shot)) : Buffer.from(shot.text);
      sent.push(bytes);
      const done = await exchange(this.#port, bytes, "ends" in shot && shot.ends);
      const problem = problemOf(shot, done);
      if (problem !== undefined) throw new Wrong(problem, sent, done.received.toString("utf8"));
      const answer = parseAnswer(done.received);
      this.tally.add(shot, answer?.status);
      if ("operation" in shot && answer?.status === 200) facts.learn(shot, answer.body);
    }
    const alive = Buffer.from(
      "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    const { received } = await exchange(this.#port, alive, false);
    if (parseAnswer(received)?.status !== 200) throw new Wrong("not alive", sent, "");
  }
}

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

/** What one episode has learnt of its table and its view. */
class EpisodeFacts {
  #table: Facts;
  #view: Facts;

  constructor(episode: number) {
    const nothing: Facts = {
      namespace: `f${episode}`,
      number: String(episode).padStart(12, "0"),
      uuid: UNKNOWN,
      location: "file:///nowhere",
      metadataLocation: "file:///nowhere/1.metadata.json",
      lastSequence: 0n,
      nextRow: 0n,
    };
    this.#table = nothing;
    this.#view = nothing;
  }

  of({ operation }: Shot): Facts {
    return operation.template.includes("view") ? this.#view : this.#table;
  }

  /** Only what is said of the table `t` or the view `v` counts: requests are mostly about them. */
  learn(shot: Shot, body: string): void {
    const view = /"view-uuid":"([^"]+)"/.exec(body)?.[1];
    const uuid = view ?? /"table-uuid":"([^"]+)"/.exec(body)?.[1];
    if (uuid === undefined || (shot.params["table"] ?? "t") !== "t") return;
    const before = view === undefined ? this.#table : this.#view;
    const facts = {
      ...before,
      uuid,
      location: /"location":"([^"]+)"/.exec(body)?.[1] ?? before.location,
      metadataLocation: /"metadata-location":"([^"]+)"/.exec(body)?.[1] ?? before.metadataLocation,
      lastSequence: BigInt(/"last-sequence-number":(\d+)/.exec(body)?.[1] ?? 0),
      nextRow: BigInt(/"next-row-id":(\d+)/.exec(body)?.[1] ?? 0),
    };
    if (view === undefined) this.#table = facts;
    else this.#view = facts;
  }
}

/** Makes what an episode is about. */
const SETTING: readonly Shot[] = (() => {
  const { operations } = readContract();
  const send = (verb: string, end: string, body?: object): Shot => {
    const operation = operations.find(
      ({ method, template }) => method === verb && template.endsWith(end),
    );
    if (operation === undefined) throw new Error(`the contract has no operation …${end}`);
    const params = { prefix: "default", namespace: "@ns@", table: "t", view: "v" };
    return { operation, params, query: [], headers: {}, body, spoil: undefined };
  };
  const post = (end: string, body: object): Shot => send("POST", end, body);
  const fields = [
    { id: 1, name: "a", type: "long", required: false },
    { id: 2, name: "b", type: "string", required: false },
  ];
  const schema = { type: "struct", fields };
  const version = {
    "version-id": 1,
    "schema-id": 0,
    "timestamp-ms": 1,
    summary: {},
    "default-namespace": ["@ns@"],
    representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
  };
  const snapshot = {
    "snapshot-id": 11,
    "sequence-number": 1,
    "timestamp-ms": raw("now"),
    "manifest-list": "@location@/metadata/snap-11.avro",
    summary: { operation: "append" },
  };
  const main = { "ref-name": "main", type: "branch", "snapshot-id": 11 };
  return [
    // Once more: later there is no empty namespace to be dropped, but by luck.
    post("{prefix}/namespaces", { namespace: ["@ns@"] }),
    send("DELETE", "/namespaces/{namespace}"),
    post("{prefix}/namespaces", { namespace: ["@ns@"] }),
    post("{namespace}/tables", { name: "t", schema }),
    post("{namespace}/views", { name: "v", schema, "view-version": version, properties: {} }),
    // Registered from what is left of it: by luck, a view is seldom dropped first.
    send("DELETE", "/views/{view}"),
    post("{namespace}/register-view", { name: "v", "metadata-location": "@metadata@" }),
    post("{namespace}/tables/{table}", {
      requirements: [],
      updates: [
        { action: "add-snapshot", snapshot },
        { action: "set-snapshot-ref", ...main },
      ],
    }),
  ];
})();
