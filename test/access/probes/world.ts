import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeededPrng } from "../../../src/base/prng.ts";
import { StoreObservers } from "../../../src/base/store-observers.ts";
import { readOptions } from "../../../src/runtime/open-settings.ts";
import { requireSettings } from "../../../src/runtime/read-settings.ts";
import { answerOf, type Embedded, openEmbedded } from "../../../src/server/embedded.ts";
import { OWN_ACTOR } from "../../../src/service/actor.ts";
import { FrozenClock } from "./frozen-clock.ts";

export const ADMIN_KEY: string = `firn_${"a1".repeat(10)}_${"s".repeat(43)}`;

/** One answer, with what it cost. */
export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Requests to the stores, by kind. */
  readonly reads: Readonly<Record<string, number>>;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown | undefined;
  /** Lines of JSON, not one text. */
  readonly lines?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A deployment in memory that asks for credentials, whose requests to its stores are counted. */
export class World {
  readonly clock: FrozenClock;
  readonly #embedded: Embedded;
  readonly #home: string;
  #reads: Record<string, number> = {};

  private constructor(embedded: Embedded, clock: FrozenClock, home: string) {
    this.#home = home;
    this.#embedded = embedded;
    this.clock = clock;
    StoreObservers.of(embedded.composition.metrics).add({
      request: (store, request) => {
        const name = `${store} ${request}`;
        this.#reads[name] = (this.#reads[name] ?? 0) + 1;
      },
      dollars: () => undefined,
    });
  }

  static async open(seed: number, options: object = {}): Promise<World> {
    const home = await mkdtemp(join(tmpdir(), "firn-probes-"));
    const given = {
      profile: "memory",
      warehouse: join(home, "lake"),
      logLevel: "silent",
      auth: "required",
      bootstrapKey: ADMIN_KEY,
      ...options,
    };
    const clock = new FrozenClock(1_800_000_000_000);
    const settings = requireSettings(readOptions(given, process.cwd()));
    const prng = new SeededPrng(seed);
    const embedded = await openEmbedded(settings, { clock, prng, listens: false });
    return new World(embedded, clock, home);
  }

  async ask(key: string, { method, path, body, lines = false, headers }: Sent): Promise<Told> {
    const type = lines ? "application/x-ndjson" : "application/json";
    const init = {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": type, ...headers },
      ...(body !== undefined && { body: `${JSON.stringify(body)}${lines ? "\n" : ""}` }),
    };
    this.#reads = {};
    const response = await answerOf(this.#embedded.server, new Request(`http://firn${path}`, init));
    const text = await response.text();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
      reads: this.#reads,
    };
  }

  asAdmin(sent: Sent): Promise<Told> {
    return this.ask(ADMIN_KEY, sent);
  }

  /** As the first administrator; must succeed. */
  async done<T = Readonly<Record<string, unknown>>>(
    method: string,
    path: string,
    body?: object,
    key: string = ADMIN_KEY,
  ): Promise<T> {
    const { status, text } = await this.ask(key, { method, path, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as T;
  }

  /** Another account, and the key of its administrator. */
  async account(name: string): Promise<string> {
    const { accounts } = this.#embedded.composition.model;
    await accounts.create(OWN_ACTOR, { name });
    return (await accounts.createAdmin(OWN_ACTOR, { account: { name } }, "boss")).text;
  }

  /** What the token endpoint gives for a form. */
  async token(form: URLSearchParams): Promise<string> {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const init = { method: "POST", headers, body: form.toString() };
    const request = new Request("http://firn/iceberg/v1/oauth/tokens", init);
    const response = await answerOf(this.#embedded.server, request);
    const { access_token } = (await response.json()) as { readonly access_token?: string };
    if (access_token === undefined) throw new Error("the token endpoint gave no token");
    return access_token;
  }

  /** A new principal of the default account, and its key. */
  async principal(name: string, key: string = ADMIN_KEY): Promise<string> {
    await this.done("POST", "/api/v1/principals", { name }, key);
    const made = await this.done<{ key: string }>(
      "POST",
      `/api/v1/principals/${name}/keys`,
      {},
      key,
    );
    return made.key;
  }

  async grant(principal: string, privileges: readonly string[], on: object = {}): Promise<void> {
    await this.done("POST", "/api/v1/grants", { principal, privileges, ...on });
  }

  async close(): Promise<void> {
    await this.#embedded.close();
    await rm(this.#home, { recursive: true, force: true });
  }
}
