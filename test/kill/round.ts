import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Answer, type Api, appendTo, SCHEMA, tableState } from "./api.ts";
import { Marks, must, Names, Register } from "./ledger.ts";

/** What clients were told, over all rounds. */
export interface Tally {
  acknowledged: number;
  refused: number;
  doubtful: number;
  /** Of the doubtful ones: found after the restart. */
  landed: number;
}

const OWN = ["own0", "own1", "own2"];
const SHARED_WRITERS = 3;
const PAIR = ["left", "right"];
let nextSnapshot = 1;

/** One namespace, filled by clients until the server is gone, and looked at afterwards. */
export class Round {
  readonly #namespace: string;
  readonly #tally: Tally;
  readonly #names = new Names();
  readonly #snapshots = new Map<string, Marks>();
  readonly #pair = new Register();
  #made: "no" | "maybe" | "yes" = "no";

  constructor(number: number, tally: Tally) {
    this.#namespace = `round${number}`;
    this.#tally = tally;
  }

  /** Resolves when no client was answered any more. */
  async work(api: Api): Promise<void> {
    const answer = this.#count(await api.post("/namespaces", { namespace: [this.#namespace] }));
    if (answer.outcome === "done") this.#made = "yes";
    else if (answer.outcome === "doubtful") this.#made = "maybe";
    if (answer.outcome !== "done") return;
    await Promise.all([
      ...OWN.map((name) => this.#own(api, name)),
      this.#shared(api),
      this.#churn(api),
      this.#pairs(api),
    ]);
  }

  /** Holds what a new life of the server knows against what clients were told. */
  async verify(api: Api): Promise<void> {
    if (this.#made === "no") return;
    const path = `/namespaces/${this.#namespace}`;
    const there = (await api.ask("GET", path)).outcome === "done";
    must(there || this.#made === "maybe", `${this.#namespace} is lost`);
    this.#made = there ? "yes" : "no";
    if (!there) return;
    const listed = JSON.parse((await api.get(`${path}/tables`)).text).identifiers;
    const names = listed.map(({ name }: { name: string }) => name);
    this.#tally.landed += this.#names.settle(this.#namespace, names);
    const values: string[] = [];
    for (const name of names) {
      const state = tableState(await api.get(this.#path(name)));
      const place = `${this.#namespace}.${name}`;
      const file = JSON.parse(await readFile(fileURLToPath(state.metadataFile), "utf8"));
      must(file["table-uuid"] === state.uuid, `${place} has a file of another table`);
      const marks = this.#snapshots.get(name);
      if (marks !== undefined) {
        const ids = state.snapshots.map((each) => String(each["snapshot-id"]));
        this.#tally.landed += marks.settle(place, ids);
        // One write of the pointer each: none of them was applied twice.
        must(state.version === 1 + ids.length, `${place} has version ${state.version} of ${ids}`);
        must(state.lastSequence === ids.length, `${place} is at sequence ${state.lastSequence}`);
        must(lineOf(state).length === ids.length, `${place} has snapshots beside its line`);
      }
      if (PAIR.includes(name)) values.push(state.properties["value"] ?? "");
    }
    must(new Set(values).size < 2, `${this.#namespace} has half a transaction: ${values}`);
    if (values.length === 2) {
      this.#tally.landed += this.#pair.settle(`${this.#namespace} pair`, values[0] as string);
    }
  }

  #path(name: string): string {
    return `/namespaces/${this.#namespace}/tables/${name}`;
  }

  #count(answer: Answer): Answer {
    if (answer.outcome === "done") this.#tally.acknowledged++;
    else this.#tally[answer.outcome]++;
    return answer;
  }

  async #change(asked: Promise<Answer>, removes: string[], adds: string[]): Promise<Answer> {
    const answer = this.#count(await asked);
    if (answer.outcome === "done") this.#names.acknowledged({ removes, adds });
    if (answer.outcome === "doubtful") this.#names.doubtful({ removes, adds });
    return answer;
  }

  #create(api: Api, name: string): Promise<Answer> {
    const path = `/namespaces/${this.#namespace}/tables`;
    return this.#change(api.post(path, { name, schema: SCHEMA }), [], [name]);
  }

  async #own(api: Api, name: string): Promise<void> {
    this.#snapshots.set(name, new Marks());
    const created = await this.#create(api, name);
    if (created.outcome === "done") await this.#append(api, name);
  }

  async #shared(api: Api): Promise<void> {
    this.#snapshots.set("shared", new Marks());
    if ((await this.#create(api, "shared")).outcome !== "done") return;
    await Promise.all(Array.from({ length: SHARED_WRITERS }, () => this.#append(api, "shared")));
  }

  /** Snapshot after snapshot, each on the head that was read last. */
  async #append(api: Api, name: string): Promise<void> {
    const marks = this.#snapshots.get(name) as Marks;
    let loaded = await api.ask("GET", this.#path(name));
    while (loaded.outcome === "done") {
      const id = nextSnapshot++;
      const answer = this.#count(
        await api.post(this.#path(name), appendTo(tableState(loaded), id)),
      );
      if (answer.outcome === "done") marks.acknowledged(String(id));
      if (answer.outcome === "doubtful") {
        marks.doubtful(String(id));
        return;
      }
      loaded = answer.outcome === "done" ? answer : await api.ask("GET", this.#path(name));
    }
  }

  /** Tables that are created, renamed and, one of three, dropped. */
  async #churn(api: Api): Promise<void> {
    const identifier = (name: string) => ({ namespace: [this.#namespace], name });
    for (let n = 0; ; n++) {
      const [from, to] = [`from${n}`, `to${n}`];
      if ((await this.#create(api, from)).outcome === "doubtful") return;
      const rename = { source: identifier(from), destination: identifier(to) };
      const renamed = await this.#change(api.post("/tables/rename", rename), [from], [to]);
      if (renamed.outcome === "doubtful") return;
      if (n % 3 !== 0) continue;
      const dropped = await this.#change(api.ask("DELETE", this.#path(to)), [to], []);
      if (dropped.outcome === "doubtful") return;
    }
  }

  /** Two tables that are changed together. */
  async #pairs(api: Api): Promise<void> {
    for (const name of PAIR) if ((await this.#create(api, name)).outcome !== "done") return;
    for (let n = 1; ; n++) {
      const value = String(n);
      const changes = PAIR.map((name) => ({
        identifier: { namespace: [this.#namespace], name },
        requirements: [],
        updates: [{ action: "set-properties", updates: { value } }],
      }));
      const answer = this.#count(
        await api.post("/transactions/commit", { "table-changes": changes }),
      );
      if (answer.outcome === "done") this.#pair.acknowledged(value);
      if (answer.outcome !== "doubtful") continue;
      this.#pair.doubtful(value);
      return;
    }
  }
}

/** Ids from the head of main back to the first snapshot. */
function lineOf({ head, snapshots }: ReturnType<typeof tableState>): readonly number[] {
  const parents = new Map(snapshots.map((s) => [s["snapshot-id"], s["parent-snapshot-id"]]));
  const line: number[] = [];
  for (let at = head; at !== undefined && line.length <= snapshots.length; at = parents.get(at)) {
    line.push(at);
  }
  return line;
}
