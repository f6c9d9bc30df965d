import { SeededPrng } from "../../../src/base/prng.ts";
import type { ServerProcess } from "../../clients/server-process.ts";
import { OF_STORAGE } from "./of-storage.ts";
import { SESSIONS } from "./sound.ts";
import type { Answer, Send } from "./sound-session.ts";

/** A schema of the OpenAPI document. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Requests that are under way together. */
const TOGETHER = 8;
const REQUEST_LIMIT_MS = 30_000;

/** Names of what a run makes, so that requests meet. */
const KNOWN: readonly string[] = ["lake", "default", "a", "b", "a.b", "t", "v"];
/** What is there at every moment but for a few requests. */
const USUAL: Readonly<Record<string, string>> = {
  catalog: "lake",
  namespace: "a",
  table: "t",
  view: "v",
  snapshot: "17",
  connector: "c",
  profile: "p",
  account: "default",
  target: "table",
  constraint: "a",
  principal: "p",
  member: "p",
  role: "role",
};
/** Statements that do something, which no text at random is. */
const STATEMENTS: readonly string[] = [
  "select 1",
  "select * from a.r",
  "insert into a.r values ('a', 'b') on conflict do nothing",
  "select count(*) from a.r where b > 'a'",
];
/** So many requests at random for one session, whose requests come on top of them. */
const PER_SESSION = 5;
/** Requests after which what they have dropped or renamed is made again. */
const MADE_AGAIN = 50;
/** Ids that are remembered. */
const IDS = 32;
const HOSTILE: readonly string[] = [
  "%",
  "%ff",
  "%00",
  "%2F",
  "%2e%2e",
  "..",
  ":rename",
  "a:rename",
  "id:",
  "id:0",
  "id:00000000-0000-0000-0000-000000000000",
  "id:ffffffff-ffff-7000-8000-000000000000",
  "__proto__",
  "constructor",
  "%F0%9F%A7%8A",
  "n".repeat(256),
  "%61".repeat(300),
  `${"a.".repeat(40)}a`,
];
const WRONG: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  "",
  "x".repeat(5_000),
  "\u0000",
  "\ud800",
  [],
  {},
  [[[[]]]],
  { a: { b: {} } },
];

/** What a run came to. */
export interface NativeTally {
  readonly sent: number;
  readonly problems: readonly string[];
  readonly statuses: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** Sends requests made of the server's own OpenAPI document, most of them wrong somewhere. */
export class NativeFuzzer {
  readonly #server: ServerProcess;
  readonly #operations: readonly (readonly [method: string, path: string, Operation])[];
  readonly #prng: SeededPrng;
  /** Tokens and entity tags that answers have had: for other requests than those they belong to. */
  readonly #seen: string[] = [];
  readonly #statuses = new Map<string, Map<number, number>>();
  readonly #problems: string[] = [];
  readonly #ids: string[] = [];
  /** Sessions in the order of the next ones: each once before any comes again. */
  readonly #sessions: string[] = [];
  #begun = 0;
  readonly #make: () => Promise<void>;
  #sent = 0;
  #inSessions = 0;

  private constructor(
    server: ServerProcess,
    document: Document,
    seed: number,
    make: () => Promise<void>,
  ) {
    this.#make = make;
    this.#server = server;
    this.#prng = new SeededPrng(seed);
    this.#operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, each]) => [method, path, each] as const),
    );
  }

  /** `make`: makes what most requests are about, where it is not there. */
  static async open(
    server: ServerProcess,
    seed: number,
    make: () => Promise<void>,
  ): Promise<NativeFuzzer> {
    const response = await fetch(`${server.url}/api/openapi.json`);
    return new NativeFuzzer(server, (await response.json()) as Document, seed, make);
  }

  /** Sends so many; a problem is a line of what does not hold. */
  async run(requests: number): Promise<NativeTally> {
    const lane = async (): Promise<void> => {
      while (this.#sent < requests && this.#problems.length < 10) {
        if (this.#sent % MADE_AGAIN === 0) await this.#make();
        const turn = this.#sent++;
        await this.#one();
        if (turn % PER_SESSION === 0) await this.#session();
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, lane));
    return {
      sent: this.#sent + this.#inSessions,
      problems: this.#problems,
      statuses: this.#statuses,
    };
  }

  async #one(): Promise<void> {
    const found = this.#pick(this.#operations);
    const [method, template, operation] = found;
    const ofRows = template.includes("/rows:");
    const path = template.replaceAll(/\{(\w+)\}/g, (_whole, part: string) =>
      ofRows && part === "table" && this.#chance(0.7) ? "r" : this.#name(part),
    );
    const query = operation.parameters.filter((each) => each.in === "query");
    const search = query.flatMap((each) => this.#parameter(each)).join("&");
    const [schema] = Object.values(operation.requestBody?.content ?? {}).map((each) => each.schema);
    const body = schema === undefined ? undefined : this.#body(schema);
    const target = `${path}${search === "" ? "" : `?${search}`}`;
    const request = {
      method: method.toUpperCase(),
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...this.#headers(operation),
      },
      ...(body !== undefined && { body }),
    };
    await this.#exchange(operation.operationId, target, request);
  }

  /** Requests that succeed, among all the others. */
  async #session(): Promise<void> {
    if (this.#sessions.length === 0) this.#sessions.push(...this.#shuffled(Object.keys(SESSIONS)));
    const name = this.#sessions.pop() ?? "";
    await SESSIONS[name]?.((...asked) => this.#send(...asked), `session-${this.#begun++}`);
  }

  #shuffled(names: readonly string[]): readonly string[] {
    return names
      .map((name) => [this.#prng.float(), name] as const)
      .sort(([a], [b]) => a - b)
      .map(([, name]) => name);
  }

  async #send(...[name, { path = {}, query = {}, body } = {}]: Parameters<Send>): Promise<Answer> {
    const [method, template] =
      this.#operations.find(([, , each]) => each.operationId === name) ?? [];
    if (method === undefined || template === undefined) throw new Error(`no operation ${name}`);
    const filled = template.replaceAll(/\{(\w+)\}/g, (_whole, part: string) =>
      encodeURIComponent(path[part] ?? part),
    );
    const search = new URLSearchParams(query).toString();
    const target = `${filled}${search === "" ? "" : `?${search}`}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    this.#inSessions++;
    const type = name === "putStatsBatch" ? "application/x-ndjson" : "application/json";
    const answer = await this.#exchange(name, target, {
      method: method.toUpperCase(),
      headers: { ...(text !== undefined && { "Content-Type": type }) },
      ...(text !== undefined && { body: text }),
    });
    try {
      return JSON.parse(answer) as Answer;
    } catch {
      return {};
    }
  }

  /** @returns the body of the answer. */
  async #exchange(
    name: string,
    target: string,
    request: RequestInit & { readonly method: string },
  ): Promise<string> {
    const { method, headers, body = "" } = request;
    const what = `${method} ${target} ${JSON.stringify(headers)} ${body}`;
    try {
      const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
      const response = await fetch(`${this.#server.url}${target}`, { ...request, signal });
      const text = await response.text();
      this.#judge(name, what, response, text);
      return text;
    } catch (error) {
      this.#problems.push(`${what.slice(0, 2_000)}: ${error}`);
      return "";
    }
  }

  #judge(name: string, what: string, { status, headers }: Response, text: string): void {
    const counts = this.#statuses.get(name) ?? new Map<number, number>();
    this.#statuses.set(name, counts.set(status, (counts.get(status) ?? 0) + 1));
    const etag = headers.get("etag");
    const token = /"(?:nextPageToken|cursor)":"([^"]+)"/.exec(text)?.[1];
    for (const one of [etag, token]) if (one) this.#seen[this.#sent % 64] = one;
    if (name === "listDropped" || name === "listJobs") {
      const ids = [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id = ""]) => id);
      for (const id of ids) {
        if (this.#ids.length < IDS) this.#ids.push(id);
        else this.#ids[this.#below(IDS)] = id;
      }
    }
    const code = headers.get("x-firn-error");
    const told = /"code":"([A-Z0-9_]+)"/.exec(text)?.[1];
    const isWorded = status < 400 || (code !== null && told === code);
    if (status >= 500 || !isWorded) {
      this.#problems.push(`${what.slice(0, 2_000)}: ${status} ${text.slice(0, 500)}`);
    }
  }

  #name(part: string): string {
    const usual = USUAL[part] ?? this.#ids[this.#below(this.#ids.length)];
    if (usual !== undefined && this.#chance(0.75)) return usual;
    return this.#chance(0.5) ? this.#pick(KNOWN) : this.#pick(HOSTILE);
  }

  #parameter({ name, required, schema }: Parameter): readonly string[] {
    if (name === "skipCheck" && this.#chance(0.7)) return ["skipCheck=true"];
    const isThere = required ? this.#chance(0.95) : this.#chance(name === "dryRun" ? 0.1 : 0.3);
    if (!isThere) return this.#chance(0.02) ? [`${this.#pick(HOSTILE)}=${this.#pick(KNOWN)}`] : [];
    const seen = this.#seen[this.#below(64)];
    if (/oken|after/.test(name) && seen !== undefined)
      return [`${name}=${encodeURIComponent(seen)}`];
    if (this.#chance(0.15)) return [`${name}=${this.#pick(HOSTILE)}`];
    return [`${name}=${encodeURIComponent(String(this.#value(schema)).toWellFormed())}`];
  }

  #headers({ parameters }: Operation): Readonly<Record<string, string>> {
    const given = parameters.filter((each) => each.in === "header" && this.#chance(0.2));
    return Object.fromEntries(
      given.map(({ name }) => [
        name,
        name === "Idempotency-Key"
          ? `key-${this.#below(50)}`
          : this.#pick(['"1-x"', "*", 'W/"', this.#seen[this.#below(64)] ?? '"0"']).replace(
              /[^\x20-\x7e]/g,
              "",
            ),
      ]),
    );
  }

  #body(schema: Schema): string {
    if (this.#chance(0.03)) return this.#pick(["", "{", "[]", "7", '{"a":1,"a":2}', "\u0000"]);
    if (this.#chance(0.02)) return `${"[".repeat(5_000)}`;
    const value = this.#value(schema);
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const members = value as Record<string, unknown>;
    if (this.#chance(0.1)) members[this.#pick(HOSTILE)] = structuredClone(this.#pick(WRONG));
    return JSON.stringify(value);
  }

  #value(schema: Schema): unknown {
    // A copy: what a body gets at random must not end up in itself.
    if (this.#chance(0.04)) return structuredClone(this.#pick(WRONG));
    if (schema.anyOf !== undefined) return this.#value(this.#pick(schema.anyOf));
    if (schema.enum !== undefined) return this.#pick(schema.enum);
    const type = Array.isArray(schema.type) ? this.#pick(schema.type) : schema.type;
    switch (type) {
      case "object":
        return this.#object(schema);
      case "array":
        return Array.from({ length: 1 + this.#below(2) }, () => this.#value(schema.items ?? {}));
      case "integer":
        return this.#pick([0, 1, 2, 100, 1_000, 2 ** 40]);
      case "number":
        return this.#pick([0, 0.5, 1, 2, 1e300]);
      case "boolean":
        return this.#chance(0.5);
      case "null":
        return null;
      default:
        return this.#text(schema);
    }
  }

  #text({ pattern }: Schema): string {
    if (pattern !== undefined) return this.#pick(["1", "2", "-1", "9223372036854775807", "99"]);
    const times = ["2026-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "now"];
    return this.#chance(0.7)
      ? this.#pick(["lake", "a", "b", "t"])
      : this.#pick([...times, "x y", "é"]);
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema): unknown {
    const members = Object.entries(properties).filter(([name]) =>
      required.includes(name) ? this.#chance(0.97) : this.#chance(0.5),
    );
    const value: Record<string, unknown> = Object.fromEntries(
      members.map(([name, schema]) => [
        name,
        this.#chance(0.7) ? (this.#likely(name) ?? this.#value(schema)) : this.#value(schema),
      ]),
    );
    if (typeof additionalProperties === "object") {
      for (let i = this.#below(3); i > 0; i--) {
        value[this.#pick(["owner", "tier", "location", "table-default.x", "password"])] =
          this.#value(additionalProperties);
      }
    }
    return value;
  }

  /** What makes sense as the member of that name, where a value of its type seldom does. */
  #likely(name: string): unknown {
    if (Object.hasOwn(OF_STORAGE, name)) return structuredClone(OF_STORAGE[name]);
    // Others have members that go together.
    if (name === "format") return this.#pick(["OTHER", "DELTA", "HUDI"]);
    if (name === "roots") return [`s3://kept/${this.#below(1_000)}`];
    if (name === "statement") return this.#pick(STATEMENTS);
    // Two tables do not share a place.
    if (name === "location" || name === "uri") return `s3://elsewhere/${this.#below(1_000)}`;
    return undefined;
  }

  #below(limit: number): number {
    return Math.floor(this.#prng.float() * limit);
  }

  #chance(share: number): boolean {
    return this.#prng.float() < share;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }
}
