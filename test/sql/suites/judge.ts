import type { Answer } from "../../support/postgres-wire.ts";
import type { Statement } from "./statement.ts";

/**
 * `refused`: Firn says that it does not support it. `dependent`: it meets something that an
 * earlier statement, which differed, was to make. `plan`: an EXPLAIN, which is not compared.
 */
export type Verdict = "same" | "refused" | "dependent" | "wrong" | "plan";

const UNSUPPORTED = "0A000";
const FIRST_USER_OID = 16_384;
const OID = 26;
const REGCLASS = 2_205;
const OID_TYPES: ReadonlySet<number> = new Set([OID, REGCLASS]);

/** Compares answers of one connection to each server, in the order of a script. */
export class Judge {
  /** Names of what differs between the servers. */
  readonly #tainted = new Set<string>();
  /** What the views that the script has made read. */
  readonly #views = new Map<string, readonly string[]>();
  /** Partitions and what they are a part of, both ways. */
  readonly #shared = new Map<string, Set<string>>();
  /** Names of what the open transaction has made or changed. */
  readonly #pending = new Set<string>();
  #apart = false;
  /** Parameters that Firn has refused to set. */
  readonly #settings = new Set<string>();

  taint(names: Iterable<string>): void {
    for (const name of names) {
      if (this.#tainted.has(name)) continue;
      this.#tainted.add(name);
      this.taint(this.#shared.get(name) ?? []);
      for (const below of this.#views.get(name) ?? []) this.#tainted.add(below);
    }
  }

  /** `status`: where the statement left PostgreSQL's session and Firn's. */
  judge(
    statement: Statement,
    expected: readonly Answer[],
    actual: readonly Answer[],
    status: { readonly expected: string; readonly actual: string },
  ): Verdict {
    const verdict = this.#verdict(statement, expected, actual);
    for (const name of statement.targets) this.#pending.add(name);
    const isSame = verdict === "same";
    for (const view of isSame ? statement.targets : []) {
      if (statement.viewed.length > 0) this.#views.set(view, statement.viewed);
    }
    if (isSame) this.#share(statement.shares);
    const hasWorked = expected.every(({ error }) => error === undefined);
    // Where both made it, neither had it: it is the same again.
    if (isSame && hasWorked && statement.makes) this.#tainted.delete(statement.makes);
    if (!isSame && verdict !== "plan") this.taint(statement.targets);
    const { setting } = statement;
    if (setting !== undefined) {
      if (verdict === "refused") this.#settings.add(setting);
      else this.#settings.delete(setting);
    }
    const isApart = status.expected !== status.actual;
    // What the transaction did is undone on one of the servers.
    if (isApart) this.taint(this.#pending);
    else if (status.expected === "I") this.#pending.clear();
    this.#apart = isApart;
    return verdict;
  }

  #share(names: readonly string[]): void {
    for (const name of names) {
      const known = this.#shared.get(name) ?? new Set<string>();
      for (const other of names) if (other !== name) known.add(other);
      this.#shared.set(name, known);
    }
    const isTainted = names.some((name) => this.#tainted.has(name));
    if (isTainted) this.taint(names.filter((name) => !this.#tainted.has(name)));
  }

  #verdict(statement: Statement, expected: readonly Answer[], actual: readonly Answer[]): Verdict {
    if (statement.isExplain) return "plan";
    if (areSame(expected, actual, statement.order)) return "same";
    if (actual.some(({ error }) => error?.sqlState === UNSUPPORTED)) return "refused";
    if (this.#apart || this.#settings.size > 0) return "dependent";
    for (const word of statement.words) if (this.#isTainted(word)) return "dependent";
    return "wrong";
  }

  /** A view differs where what it reads does. */
  #isTainted(name: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (this.#tainted.has(name)) return true;
    if (seen.has(name)) return false;
    const around = new Set([...seen, name]);
    return this.#views.get(name)?.some((below) => this.#isTainted(below, around)) === true;
  }
}

function areSame(
  expected: readonly Answer[],
  actual: readonly Answer[],
  order: readonly (number | string)[],
): boolean {
  if (expected.length !== actual.length) return false;
  return expected.every((answer, i) => isSame(answer, actual[i] as Answer, order));
}

function isSame(expected: Answer, actual: Answer, order: readonly (number | string)[]): boolean {
  if (expected.error?.sqlState !== actual.error?.sqlState) return false;
  // How many rows came before an error is the planner's.
  if (expected.error !== undefined) return true;
  if (expected.tag !== actual.tag) return false;
  if (expected.columns.join("\0") !== actual.columns.join("\0")) return false;
  if (expected.types.map(typeOf).join() !== actual.types.map(typeOf).join()) return false;
  const whole = (answer: Answer): readonly string[] =>
    answer.rows.map((row) => JSON.stringify(row));
  const [wanted, got] = [whole(expected), whole(actual)];
  if (wanted.join("\n") === got.join("\n")) return true;
  if ([...wanted].sort().join("\n") !== [...got].sort().join("\n")) return false;
  const places = order.map((key) =>
    typeof key === "number" ? key - 1 : expected.columns.indexOf(key),
  );
  // By the OIDs of what a script has made each server sorts otherwise.
  const end = places.findIndex((place) => place < 0 || OID_TYPES.has(expected.types[place] ?? 0));
  const known = end < 0 ? places : places.slice(0, end);
  const keys = (answer: Answer): string =>
    JSON.stringify(answer.rows.map((row) => known.map((place) => row[place])));
  return keys(expected) === keys(actual);
}

/** Types that a script makes have other OIDs on each server. */
function typeOf(oid: number): number {
  return oid >= FIRST_USER_OID ? FIRST_USER_OID : oid;
}
