import { randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import {
  expected,
  type Held,
  type Level,
  type Needs,
  needsOf,
  OPERATORS,
  PRIVILEGES,
} from "./model.ts";
import { PROBED, type Probed } from "./requests.ts";
import type { Slots } from "./values.ts";
import { type Sent, type Told, World } from "./world.ts";

/*
 * Every operation by principals that hold each single privilege at each level, and sets of several
 * drawn by a seed: what the server does against what `model.ts` says.
 */

interface Member {
  readonly held: Held;
  readonly key: string;
}

export interface MatrixTally {
  readonly requests: number;
  readonly allowed: number;
  readonly refused: number;
  /** Operations that no request was both allowed and refused for, which shows nothing of them. */
  readonly undecided: readonly string[];
  readonly findings: readonly string[];
  /** Operations that the second model, or the table, says nothing or too little of. */
  readonly undeclared: readonly string[];
}

const PLACES: Readonly<Record<Level, object>> = {
  A: {},
  C: { catalog: "default" },
  N: { catalog: "default", namespace: ["w"] },
  T: { catalog: "default", namespace: ["w"], name: "t" },
  V: { catalog: "default", namespace: ["w"], name: "tv" },
};
const LEVELS = Object.keys(PLACES) as Level[];
/** Every principal may ask for these. */
const FOR_ALL: ReadonlySet<string> = new Set([
  "getInfo",
  "getMe",
  "getNode",
  "getHome",
  "listAdvice",
  "findNames",
  "searchNames",
]);
const FORMATS: ReadonlySet<string> = new Set([
  "FORMAT_UNSUPPORTED",
  "TABLE_NOT_DELTA",
  "SHARDS_NOT_SHARED",
]);
const DRAWN = 16;
/** More rounds over the principals, for an operation that none was allowed yet. */
const ROUNDS = 8;
const NOT_FOUND = /^(WAREHOUSE|CATALOG|NAMESPACE|TABLE|VIEW|NAME)_NOT_FOUND$/;
/** Judged by the names in its statement: `test/sql` and `test/pgwire` show that. */
const JUDGED_ELSEWHERE = "runSql";
const SLOTS: Slots = {
  catalog: "default",
  catalogName: "default",
  namespace: "w",
  path: "w",
  table: "t",
  name: "t",
  view: "tv",
  full: "default.w.t",
  snapshot: "17",
  target: "abc",
  constraint: "abc",
  function: "abc",
  principal: "stranger",
  member: "stranger",
  role: "abc",
  key: "abc",
  connector: "abc",
  profile: "abc",
  account: "default",
  job: "01890a5d-ac96-774b-bcce-b302099a8057",
  id: "01890a5d-ac96-774b-bcce-b302099a8057",
};
const SCHEMA = {
  type: "struct",
  "schema-id": 0,
  fields: [{ id: 1, name: "a", type: "long", required: false }],
};
const AT = "/api/v1/catalogs/default/namespaces/w";

type RelationIds = Readonly<Record<"tables" | "views", string>>;

export class Matrix {
  readonly #world: World;
  readonly #members: readonly Member[];
  readonly #ids: RelationIds;
  #made = 0;

  private constructor(world: World, members: readonly Member[], ids: RelationIds) {
    this.#world = world;
    this.#members = members;
    this.#ids = ids;
  }

  static async open(seed: number): Promise<Matrix> {
    const world = await World.open(seed);
    const iceberg = "/iceberg/v1/default/namespaces";
    await world.done("POST", iceberg, { namespace: ["w"] });
    await world.done("POST", `${iceberg}/w/tables`, { name: "t", schema: SCHEMA });
    const create = PROBED.find(
      ({ name }) => name === `POST /v1/{prefix}/namespaces/{namespace}/views`,
    );
    const sent = create?.request({ ...SLOTS, made: "tv" }, 1);
    await world.done("POST", `${iceberg}/w/views`, sent?.body as object);
    await world.principal("stranger");
    const prng = new SeededPrng(seed);
    const single = LEVELS.flatMap((level) => PRIVILEGES.map((each): Held => [[level, each]]));
    const drawn = Array.from(
      { length: DRAWN },
      (): Held =>
        Array.from({ length: 2 + randomBelow(prng, 3) }, () => [
          LEVELS[randomBelow(prng, LEVELS.length)] ?? "A",
          PRIVILEGES[randomBelow(prng, PRIVILEGES.length)] ?? "see",
        ]),
    );
    const members: Member[] = [];
    for (const [i, held] of [[], ...single, ...drawn].entries()) {
      const key = await world.principal(`member-${i}`);
      for (const [level, privilege] of held) {
        await world.grant(`member-${i}`, [privilege], PLACES[level]);
      }
      members.push({ held, key });
    }
    const idOf = async (path: string) => (await world.done<{ id: string }>("GET", path)).id;
    const ids = { tables: await idOf(`${AT}/tables/t`), views: await idOf(`${AT}/views/tv`) };
    return new Matrix(world, members, ids);
  }

  /** `share`: of the pairs of operation and principal, those that are tried. */
  async run(seed: number, share = 1): Promise<MatrixTally> {
    const prng = new SeededPrng(seed);
    const tally = new Tally();
    for (const operation of PROBED) {
      if (operation.name === JUDGED_ELSEWHERE) continue;
      await this.#ask(operation, tally, prng, share);
      // Requests are drawn: all of those that were allowed may have been malformed.
      for (let more = 0; share === 1 && more < ROUNDS && tally.isUndecided(operation); more++) {
        await this.#ask(operation, tally, prng, share);
      }
    }
    return tally.sum();
  }

  async #ask(operation: Probed, tally: Tally, prng: SeededPrng, share: number): Promise<void> {
    for (const member of this.#members) {
      if (prng.float() >= share) continue;
      const made = { ...SLOTS, made: `made-${this.#made++}` };
      const sent = operation.request(made, prng.uint32());
      const told = await this.#world.ask(member.key, sent);
      tally.judge(operation, member, sent, told);
      if (operation.writes && told.status < 300) await this.#restore();
    }
  }

  /** Brings back what a request that was allowed has dropped or renamed, under its old id. */
  async #restore(): Promise<void> {
    for (const [kind, name] of [
      ["tables", "t"],
      ["views", "tv"],
    ] as const) {
      const at = `${AT}/${kind}`;
      if ((await this.#admin("GET", `${at}/${name}`)).status === 200) continue;
      if ((await this.#admin("POST", `${at}/moved:rename`, { name })).status < 300) continue;
      const undrop = `/api/v1/dropped/${this.#ids[kind]}:undrop`;
      await this.#world.done("POST", undrop, { name });
    }
  }

  #admin(method: string, path: string, body?: object): Promise<Told> {
    return this.#world.asAdmin({ method, path, body });
  }

  close(): Promise<void> {
    return this.#world.close();
  }
}

type Outcome = "allowed" | "forbidden" | "hidden" | "malformed";

function outcome({ status, headers }: Told): Outcome {
  const code = headers["x-firn-error"] ?? "";
  // This server signs nothing, which it tells to who may ask.
  if (code === "SIGN_REFUSED") return "allowed";
  if (status === 403) return "forbidden";
  // Of the request alone, whatever it names; but the format of a table is told to who may ask.
  if (status === 400) return FORMATS.has(code) ? "allowed" : "malformed";
  return NOT_FOUND.test(code) ? "hidden" : "allowed";
}

/** What requests came to, beside what they should. */
class Tally {
  readonly #findings: string[] = [];
  readonly #undeclared = new Set<string>();
  readonly #seen = new Map<string, Set<Outcome>>();
  #requests = 0;
  #allowed = 0;
  #refused = 0;

  judge(operation: Probed, member: Member, sent: Sent, told: Told): void {
    const { name } = operation;
    this.#requests++;
    if (OPERATORS.has(name)) {
      if (told.status !== 403) this.#findings.push(`${name} is for operators: ${told.status}`);
      return;
    }
    const needs = needsOf(name, sent);
    if (needs === undefined) {
      this.#undeclared.add(name);
      return;
    }
    this.#compareDeclared(operation, needs);
    const wanted = expected(member.held, needs);
    const did = outcome(told);
    this.#seen.set(name, (this.#seen.get(name) ?? new Set()).add(did));
    if (did === "allowed") this.#allowed++;
    else if (did !== "malformed") this.#refused++;
    const isFine = wanted.split(" or ").includes(did) || isRefusedAnyhow(wanted, did, told);
    if (!isFine) this.#findings.push(described(operation, member, sent, wanted, told));
  }

  #compareDeclared({ name, needs: declared }: Probed, needs: Needs): void {
    // What a grant needs is what it gives.
    if (name === "grant" || name === "revoke") return;
    for (const [, privilege] of needs) {
      const isTold = declared.includes(privilege) || privilege === "admin";
      if (!isTold) this.#undeclared.add(`${name}: ${privilege}`);
    }
  }

  isUndecided({ name }: Pick<Probed, "name">): boolean {
    const seen = this.#seen.get(name);
    if (seen === undefined || FOR_ALL.has(name)) return false;
    return !seen.has("allowed") || !(seen.has("forbidden") || seen.has("hidden"));
  }

  sum(): MatrixTally {
    const undecided = [...this.#seen.keys()].filter((name) => this.isUndecided({ name }));
    return {
      requests: this.#requests,
      allowed: this.#allowed,
      refused: this.#refused,
      findings: this.#findings,
      undeclared: [...this.#undeclared],
      undecided,
    };
  }
}

/** A conflict with what its caller may know of: nothing happened. */
function isRefusedAnyhow(wanted: string, did: Outcome, { status }: Told): boolean {
  return did === "malformed" || (status === 409 && wanted === "forbidden");
}

function described(
  { name }: Probed,
  { held }: Member,
  { method, path, body }: Sent,
  wanted: string,
  { status, text }: Told,
): string {
  const has = held.map((each) => each.join(":")).join(" ");
  const asked = `${method} ${path} ${JSON.stringify(body) ?? ""}`;
  return `${name} by one with ${has || "nothing"} should be ${wanted}: ${asked}: ${status} ${text}`;
}
