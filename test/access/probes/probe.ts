import { randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import { PROBED, type Probed } from "./requests.ts";
import type { Slots } from "./values.ts";
import { type Sent, type Told, World } from "./world.ts";

/*
 * What a caller may not know answers as what is not there. Each probe sends one operation twice,
 * for a thing that is hidden from its caller and for one that does not exist, and compares all
 * that the caller can tell: status, headers, text, and how much the stores were asked.
 */

/** Part of names that no caller may ever see: it is in no visible name, and in no error text. */
const CANARY = /zqhid/;

export interface Identity {
  readonly name: string;
  readonly key: string;
}

/** Names that differ in what is behind them alone; both are equally long. */
interface Target {
  readonly name: string;
  readonly hidden: Slots;
  readonly absent: Slots;
  /** Who may not know of it. */
  readonly from: readonly string[];
}

export interface Finding {
  readonly seed: number;
  readonly operation: string;
  readonly identity: string;
  readonly target: string;
  readonly what: string;
}

export interface ProbeTally {
  readonly probes: number;
  readonly findings: readonly Finding[];
  /** How often each operation got beyond the check of its request. */
  readonly reached: ReadonlyMap<string, number>;
  readonly pairs: number;
  /** Medians in milliseconds: printed, never judged. */
  readonly hiddenMs: number;
  readonly absentMs: number;
}

const TABLE = {
  schema: {
    type: "struct",
    "schema-id": 0,
    fields: [{ id: 1, name: "a", type: "long", required: false }],
  },
};
const VIEW = {
  schema: TABLE.schema,
  "view-version": {
    "version-id": 1,
    "schema-id": 0,
    "timestamp-ms": 1_700_000_000_000,
    summary: {},
    representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
    "default-namespace": ["open"],
  },
};
const NO_ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const HIDDEN = "zqhid";
const ABSENT = "zqabs";

interface Ids {
  readonly catalog: string;
  readonly namespace: string;
  readonly table: string;
  readonly view: string;
  readonly rows: string;
  readonly visibleNamespace: string;
}

/** Makes what one account has: `open` with a visible table and hidden ones, and hidden places. */
async function populate(world: World, key?: string): Promise<Ids> {
  const done = <T = { id: string }>(method: string, path: string, body?: object) =>
    world.done<T>(method, path, body, key);
  const iceberg = "/iceberg/v1";
  await done("POST", "/api/v1/catalogs", { name: HIDDEN });
  for (const catalog of ["default", HIDDEN]) {
    for (const namespace of [["open"], [HIDDEN], ["open", HIDDEN]]) {
      const at = `${iceberg}/${catalog}/namespaces`;
      await done("POST", at, { namespace });
      const path = namespace.join("%1F");
      for (const name of ["seen", HIDDEN]) {
        await done("POST", `${at}/${path}/tables`, { name, ...TABLE });
      }
      await done("POST", `${at}/${path}/views`, { name: `${HIDDEN}v`, ...VIEW });
    }
  }
  const native = "/api/v1/catalogs/default/namespaces/open";
  await done("POST", `${native}/leases`, { name: `${HIDDEN}r` });
  await done("POST", "/api/v1/connectors", {
    name: HIDDEN,
    kind: "ICEBERG_REST",
    uri: "https://catalog.example/iceberg",
  }).catch(() => undefined);
  const idOf = async (path: string) => (await done("GET", `/api/v1${path}`)).id;
  return {
    catalog: await idOf(`/catalogs/${HIDDEN}`),
    namespace: await idOf(`/catalogs/default/namespaces/${HIDDEN}`),
    table: await idOf(`/catalogs/default/namespaces/open/tables/${HIDDEN}`),
    view: await idOf(`/catalogs/default/namespaces/open/views/${HIDDEN}v`),
    rows: await idOf(`/catalogs/default/namespaces/open/tables/${HIDDEN}r`),
    visibleNamespace: await idOf("/catalogs/default/namespaces/open"),
  };
}

function slots(path: string, name: string, more: Slots = {}): Slots {
  const catalog = more["catalog"] ?? "default";
  return {
    catalog,
    catalogName: catalog,
    namespace: path,
    path,
    table: name,
    name,
    view: `${name}v`,
    full: `${catalog}.${path}.${name}`,
    snapshot: "17",
    target: "abc",
    constraint: "abc",
    function: "abc",
    principal: "stranger",
    member: "stranger",
    role: "readers",
    key: "abc",
    connector: name,
    account: name,
    job: NO_ID,
    id: NO_ID,
    made: "made",
    ...more,
  };
}

const ALL = ["stranger", "nothing", "worker", "narrowed", "boss"];
/** Who grants something names principals, so `worker` may know of them. */
const NOT_GRANTING = ALL.filter((name) => name !== "worker");
/** These may make things, so what makes one in earnest would change what is compared. */
const MAKING: ReadonlySet<string> = new Set(["worker", "boss"]);

function targetsOf(ids: Ids): readonly Target[] {
  const pair = (name: string, from: readonly string[], make: (word: string, id: Id) => Slots) => ({
    name,
    from,
    hidden: make(HIDDEN, (kind) => ids[kind]),
    absent: make(ABSENT, () => NO_ID),
  });
  type Id = (kind: keyof Ids) => string;
  return [
    pair("table", ALL, (word) => slots("open", word)),
    pair("row table", ALL, (word) => slots("open", `${word}r`, { view: `${word}v` })),
    pair("namespace", ALL, (word) => slots(word, "seen")),
    pair("nested namespace", ALL, (word) => slots(`open.${word}`, "seen")),
    pair("catalog", ALL, (word) => slots("open", "seen", { catalog: word })),
    pair("table by id", ALL, (word, id) =>
      slots("open", word, { table: `id:${id("table")}`, view: `id:${id("view")}` }),
    ),
    pair("row table by id", ALL, (word, id) =>
      slots("open", word, { table: `id:${id("rows")}`, id: id("rows"), job: id("rows") }),
    ),
    pair("table by id, elsewhere", ALL, (word, id) =>
      slots("work", word, { table: `id:${id("table")}`, view: `id:${id("view")}` }),
    ),
    pair("namespace by id", ALL, (word, id) =>
      slots(word, "seen", { namespace: `id:${id("namespace")}` }),
    ),
    pair("table by id in a namespace by id", ALL, (word, id) =>
      slots("open", word, {
        namespace: `id:${ids.visibleNamespace}`,
        table: `id:${id("table")}`,
        view: `id:${id("view")}`,
      }),
    ),
    pair("catalog by id", ALL, (word, id) =>
      slots("open", "seen", { catalog: `id:${id("catalog")}`, catalogName: word }),
    ),
    pair("principal", NOT_GRANTING, (word) =>
      slots("open", "seen", { principal: word, member: word, role: word, key: word }),
    ),
  ];
}

/** What is told, with what the two requests named made equal. */
function comparable({ status, headers, text, reads }: Told, named: Slots): string {
  const { "x-request-id": _id, date: _date, ...rest } = headers;
  const words = Object.entries(named)
    .filter(([, value]) => /zqhid|zqabs|^id:/.test(value))
    .flatMap(([, value]) => (value.startsWith("id:") ? [value.slice(3)] : [value]));
  const ids = [named["id"], named["job"]].flatMap((each) => each ?? []);
  const asked = Object.entries(reads).sort();
  let told = JSON.stringify({ status, headers: rest, text, reads: asked });
  for (const word of [...words, ...ids, HIDDEN, ABSENT].sort((a, b) => b.length - a.length)) {
    told = told.replaceAll(word, "#".repeat(word.length));
  }
  const requestId = headers["x-request-id"];
  if (requestId !== undefined) told = told.replaceAll(requestId, "REQUEST");
  // Ids that were minted for a dry run, and ends of locations made of them. Those of hidden things
  // are looked for on their own.
  return told.replaceAll(UUID, "UUID").replaceAll(/-[0-9a-f]{12}\b/g, "-ID");
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The deployment that is probed, and who probes it. */
const USAGE: ReadonlySet<string> = new Set(["getUsage", "getNode"]);

export class Probes {
  readonly #world: World;
  readonly #identities: readonly Identity[];
  readonly #targets: readonly Target[];
  readonly #hiddenIds: readonly string[];
  readonly #findings: Finding[] = [];
  readonly #reached = new Map<string, number>();
  readonly #hiddenMs: number[] = [];
  readonly #absentMs: number[] = [];
  #pairs = 0;

  private constructor(world: World, identities: readonly Identity[], ids: Ids) {
    const { visibleNamespace: _, ...hidden } = ids;
    this.#hiddenIds = Object.values(hidden);
    const targets = targetsOf(ids);
    this.#world = world;
    this.#identities = identities;
    this.#targets = targets;
  }

  static async open(seed: number): Promise<Probes> {
    const world = await World.open(seed);
    const ids = await populate(world);
    const boss = await world.account("acme");
    await world.done("POST", "/iceberg/v1/default/namespaces", { namespace: ["open"] }, boss);
    await world.done("POST", "/iceberg/v1/default/namespaces", { namespace: ["work"] }, boss);
    await world.done("POST", "/iceberg/v1/default/namespaces", { namespace: ["work"] });
    const at = "/iceberg/v1/default/namespaces/work";
    await world.done("POST", `${at}/tables`, { name: "mine", ...TABLE });
    const seen = { catalog: "default", namespace: ["open"], name: "seen" };
    const names = ["stranger", "nothing", "worker", "both", HIDDEN];
    const keys = new Map<string, string>();
    for (const name of names) keys.set(name, await world.principal(name));
    await world.grant("stranger", ["read-metadata"], seen);
    const most = ["read-data", "write-data", "alter", "create", "drop", "manage-grants"];
    const work = { catalog: "default", namespace: ["work"] };
    await world.grant("worker", ["read-metadata", ...most], work);
    await world.done("POST", "/api/v1/roles", { name: "readers" });
    await world.grant("readers", ["read-metadata", "read-data"], seen);
    await world.done("POST", "/api/v1/roles/readers/members", { principal: "both" });
    await world.grant("both", ["admin"], { catalog: "default" });
    const narrowed = await narrowedToken(world, keys.get("both") ?? "");
    const identities = [
      ...["stranger", "nothing", "worker"].map((name) => ({ name, key: keys.get(name) ?? "" })),
      { name: "narrowed", key: narrowed },
      { name: "boss", key: boss },
    ];
    return new Probes(world, identities, ids);
  }

  /** Sends so many, drawn by the seed; each operation, identity and target is met in turn first. */
  async run(count: number, seed: number): Promise<ProbeTally> {
    const prng = new SeededPrng(seed);
    const cases = PROBED.flatMap((operation) =>
      this.#targets.flatMap((target) =>
        this.#identities
          .filter(({ name }) => target.from.includes(name))
          .filter(({ name }) => !(operation.makes && MAKING.has(name)))
          .map((identity) => ({ operation, target, identity })),
      ),
    );
    let order: typeof cases = [];
    let probes = 0;
    while (probes < count && this.#findings.length < 40) {
      if (order.length === 0) order = shuffled(cases, prng);
      const next = order.pop();
      if (next === undefined) break;
      await this.#probe(next.operation, next.target, next.identity, prng.uint32());
      probes++;
    }
    return {
      probes,
      findings: this.#findings,
      reached: this.#reached,
      pairs: this.#pairs,
      hiddenMs: median(this.#hiddenMs),
      absentMs: median(this.#absentMs),
    };
  }

  async #probe(
    operation: Probed,
    target: Target,
    { name, key }: Identity,
    seed: number,
  ): Promise<void> {
    const [hidden, absent] = [target.hidden, target.absent].map((each) =>
      operation.request(each, seed),
    );
    if (hidden === undefined || absent === undefined) return;
    const found = (what: string) => {
      this.#findings.push({
        seed,
        operation: operation.name,
        identity: name,
        target: target.name,
        what,
      });
    };
    const names = JSON.stringify(hidden) !== JSON.stringify(absent);
    // Names on the way to both are in no cache yet, or in all.
    const first = await this.#world.ask(key, absent);
    // Usage names what the account itself has asked for.
    if (!USAGE.has(operation.name) && this.#tells(first.text))
      found(`${absent.method} ${absent.path} tells ${first.text}`);
    this.#count(operation, first);
    if (!names) return;
    this.#pairs++;
    const [one, other] = await this.#timed(key, hidden, absent, seed % 2 === 1);
    const [is, should] = [comparable(one, target.hidden), comparable(other, target.absent)];
    if (is !== should) found(`${hidden.method} ${hidden.path}\n  hidden ${is}\n  absent ${should}`);
    if (one.status >= 500 || other.status >= 500) found(`fails: ${one.status} ${one.text}`);
  }

  /** Both answers; which of them is asked for first changes, since the second finds caches warm. */
  async #timed(
    key: string,
    hidden: Sent,
    absent: Sent,
    hiddenFirst: boolean,
  ): Promise<readonly [Told, Told]> {
    const ask = async (sent: Sent, times: number[]) => {
      const start = performance.now();
      const told = await this.#world.ask(key, sent);
      times.push(performance.now() - start);
      return told;
    };
    if (hiddenFirst) {
      const one = await ask(hidden, this.#hiddenMs);
      return [one, await ask(absent, this.#absentMs)];
    }
    const other = await ask(absent, this.#absentMs);
    return [await ask(hidden, this.#hiddenMs), other];
  }

  /** Whether a text has a name or an id of what is hidden. */
  #tells(text: string): boolean {
    return CANARY.test(text) || this.#hiddenIds.some((id) => text.includes(id));
  }

  #count({ name }: Probed, { status, text }: Told): void {
    const isMalformed =
      status === 400 && /REQUEST_INVALID|BODY_|JSON_|PARAMETER_INVALID|MEMBER_/.test(text);
    if (!isMalformed) this.#reached.set(name, (this.#reached.get(name) ?? 0) + 1);
  }

  close(): Promise<void> {
    return this.#world.close();
  }
}

async function narrowedToken(world: World, key: string): Promise<string> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_secret: key,
    scope: "role:readers",
  });
  return world.token(form);
}

function shuffled<T>(items: readonly T[], prng: SeededPrng): T[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const at = randomBelow(prng, i + 1);
    [order[i], order[at]] = [order[at] as T, order[i] as T];
  }
  return order;
}
