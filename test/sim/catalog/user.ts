import type {
  CommitTable,
  IcebergService,
  PageRequest,
  SnapshotsMode,
} from "../../../src/service/requests.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import { type Answer, Client } from "./client.ts";
import type { Cluster, Node } from "./cluster.ts";
import { everyRelation } from "./deletes.ts";
import type { History, Intent } from "./history.ts";
import {
  contentKey,
  marksOf,
  namespaceOf,
  perform,
  SCHEMA,
  type Seen,
  seen,
  stagedCommit,
  tableOf,
  viewOf,
} from "./requests.ts";
import {
  allNames,
  childrenOf,
  inKeyOrder,
  isBelowLeaving,
  type Mutation,
  type Name,
  nameKey,
  namesIn,
  type Path,
  parentCodes,
  pathKey,
  type Relation,
  relationAt,
  type State,
} from "./spec.ts";
import type { Warehouse } from "./warehouse.ts";

/** What a table showed under an entity tag, in either mode. */
interface Tagged {
  readonly at: Name;
  readonly etag: string;
  readonly mode: SnapshotsMode;
  readonly key: string;
}

/** One who asks, and holds every answer against the history. */
export class User {
  readonly name: string;
  readonly #sim: Sim;
  readonly #history: History;
  readonly #warehouse: Warehouse;
  readonly #client: Client;
  #sent = 0;
  #tagged: Tagged | undefined;

  constructor(sim: Sim, cluster: Cluster, name: string) {
    this.#sim = sim;
    this.#history = cluster.stores.history;
    this.#warehouse = cluster.stores.warehouse;
    this.#client = new Client(sim, cluster, name);
    this.name = name;
  }

  /** The next id of a mutation of this user. */
  nextId(): string {
    return `${this.name}-${++this.#sent}`;
  }

  /** What is there at this moment. */
  namesOf(type: Relation["type"]): readonly Name[] {
    return allNames(this.#history.now, type);
  }

  hasNamespace(path: Path): boolean {
    return this.#history.now.namespaces.has(pathKey(path));
  }

  /** Whether something holds the location of what was born so. */
  isThere(born: string): boolean {
    return everyRelation(this.#history.now).some(({ content }) => content.born === born);
  }

  /** Sends a mutation and judges what is heard of it. Answers what was shown, where it was done. */
  async mutate(id: string, mutation: Mutation): Promise<Seen | undefined> {
    const staged =
      mutation.kind === "createStaged" ? await this.#stage(id, mutation.at) : undefined;
    if (mutation.kind === "createStaged" && staged === undefined) return undefined;
    const history = this.#history;
    const intent = history.begin(id, mutation);
    const nowMs = this.#sim.clock.nowMs();
    const keyed = this.#sim.chance(0.7);
    const answer = await this.#client.write(mutation.kind, id, keyed, (node, context) =>
      perform(node, context, mutation, staged, nowMs),
    );
    switch (answer.answer) {
      case "done": {
        history.done(intent);
        if (answer.value === undefined) return undefined;
        const shown = seen(answer.value);
        if (!this.#warehouse.wasNamed(shown.location)) {
          throw new Violation(`${id} was answered a file that no commit names: ${shown.location}`);
        }
        const key = contentKey(shown.content);
        // Before its batch a table that is let go still was what is shown of it.
        const since = (intent.appliedAt ?? 0) - 1;
        const was = (state: State) =>
          everyRelation(state).some(({ content }) => contentKey(content) === key);
        if (!history.some(since, was)) {
          throw new Violation(`${id} ${mutation.kind} was answered what never was: ${key}`);
        }
        return shown;
      }
      case "refused":
        this.#refused(intent, answer.code);
        return undefined;
      case "nothing":
        history.nothing(intent);
        return undefined;
      case "unknown":
        history.unknown(intent);
        return undefined;
    }
  }

  #refused(intent: Intent, code: string): void {
    const { mutation } = intent;
    if (code === "CONTENDED") {
      this.#history.nothing(intent);
      return;
    }
    const file = "file" in mutation ? mutation.file : undefined;
    const missing = file !== undefined && code === "METADATA_FILE_MISSING";
    if (!missing) {
      this.#history.refused(intent, code);
      return;
    }
    // Purged: what was registered meanwhile has taken itself back.
    if (this.#warehouse.isGone(file.location)) this.#history.unknown(intent);
    else throw new Violation(`${intent.id} missed a file that is there: ${file.location}`);
  }

  /** Lets a node look for jobs that are due. */
  runJobs(): Promise<void> {
    return this.#client.runJobs();
  }

  /** Asks that a namespace be kept which a job deletes, if one does. */
  async cancelDelete(): Promise<void> {
    const history = this.#history;
    const roots = [...history.now.leaving].filter(([, { isRoot }]) => isRoot);
    if (roots.length === 0) return;
    const [path, { job }] = this.#sim.pick(roots);
    const since = history.length;
    const answer = await this.#client.read("cancelJob", ({ jobsAdmin }) =>
      jobsAdmin.cancel(ANONYMOUS, job),
    );
    if (answer.answer !== "refused") return;
    const isOver = (state: State) => state.leaving.get(path)?.job !== job;
    if (answer.code === "JOB_LEASE_LOST") return;
    if (answer.code === "JOB_OVER" && history.some(since, isOver)) return;
    throw new Violation(`${job} cannot be cancelled without reason: ${answer.code}`);
  }

  /** Writes what a new snapshot of a table leads to. */
  plant(table: Seen, id: string): Promise<string> {
    return this.#warehouse.plant(table.location, id);
  }

  /** What can be brought back at this moment, more or less. */
  get gone(): readonly string[] {
    return [...this.#history.now.dropped.keys()];
  }

  /** Sends a metrics report, which is stored behind its answer. */
  async report(at: Name): Promise<void> {
    await this.#observe(
      "reportMetrics",
      ({ iceberg }) => {
        // Each try is a report of its own.
        const id = this.nextId();
        this.#history.reports.add(id);
        return iceberg.reportMetrics(ANONYMOUS, tableOf(at), { id });
      },
      (state, code) => {
        const there = relationAt(state, "table", at) !== undefined;
        return verdict(code === (there ? undefined : "TABLE_NOT_FOUND"));
      },
    );
  }

  /** Reads the reports of a table: each was sent, and is kept once. */
  async listReports(at: Name): Promise<void> {
    const found = await this.#observe(
      "listReports",
      ({ reports }) => reports.list(ANONYMOUS, tableOf(at)),
      (state, code) => {
        const there = relationAt(state, "table", at) !== undefined;
        return verdict(code === (there ? undefined : "TABLE_NOT_FOUND"));
      },
    );
    const ids = (found ?? []).map(({ report }) => (JSON.parse(report) as { id: string }).id);
    const sent = ids.every((id) => this.#history.reports.has(id));
    if (sent && new Set(ids).size === ids.length) return;
    throw new Violation(`${nameKey(at)} has reports ${ids.join(", ")}`);
  }

  /** Lists what was dropped, while others write: nothing missing, nothing that was not. */
  async listDropped(): Promise<void> {
    const since = this.#history.length;
    const answer = await this.#client.read("listDropped", ({ dropped }) => dropped.list(ANONYMOUS));
    if (answer.answer !== "done") return;
    const ids = answer.value.items.map(({ id }) => id);
    const there = (id: string) => (state: State) => state.dropped.get(id)?.purging === false;
    for (const id of ids) {
      if (!this.#history.some(since, there(id))) throw new Violation(`${id} was not dropped`);
    }
    for (const id of this.#history.now.dropped.keys()) {
      if (ids.includes(id) || !this.#history.every(since, there(id))) continue;
      throw new Violation(`${id} is missing from what was dropped`);
    }
  }

  /** Asks for a table's staged metadata. */
  async #stage(born: string, at: Name): Promise<CommitTable | undefined> {
    const request = { name: at.name, schema: SCHEMA, properties: {}, stageCreate: true };
    const shown = await this.#observe(
      "stageTable",
      ({ iceberg: service }) =>
        service.createTable(
          { requestId: "stage", principal: this.name, account: "default" },
          namespaceOf(at.path),
          request,
        ),
      (state, code) =>
        code === undefined ||
        code === placeCode(state, at) ||
        (code === "NAMESPACE_DELETING" && isBelowLeaving(state, at.path))
          ? "holds"
          : "does not hold",
    );
    return shown === undefined ? undefined : stagedCommit(shown.metadata, born);
  }

  /** Loads a table, sometimes in part or only if it has changed. */
  async loadTable(at: Name): Promise<void> {
    const mode: SnapshotsMode = this.#sim.chance(0.3) ? "refs" : "all";
    const known = this.#tagged;
    const tag = known !== undefined && this.#sim.chance(0.4) ? known : undefined;
    await this.#loadTable(tag?.at ?? at, mode, tag);
  }

  /** Loads a table with everything in it. */
  loadWhole(at: Name): Promise<Seen | undefined> {
    return this.#loadTable(at, "all", undefined);
  }

  async #loadTable(
    where: Name,
    mode: SnapshotsMode,
    tag: Tagged | undefined,
  ): Promise<Seen | undefined> {
    const result = await this.#observe(
      "loadTable",
      async ({ iceberg: service }) => {
        const options =
          tag === undefined ? { snapshots: mode } : { snapshots: mode, ifNoneMatch: [tag.etag] };
        const found = await service.loadTable(ANONYMOUS, tableOf(where), options);
        return found === "not-modified" ? found : seen(found);
      },
      (state, code, value) => {
        const table = relationAt(state, "table", where);
        if (table === undefined) return verdict(code === "TABLE_NOT_FOUND");
        if (value === undefined) return "does not hold";
        const key = contentKey(table.content, mode);
        if (value !== "not-modified") return verdict(contentKey(value.content, mode) === key);
        return verdict(tag?.mode === mode && tag.key === key);
      },
    );
    if (result === undefined || result === "not-modified") return undefined;
    if (result.etag !== undefined) {
      const key = contentKey(result.content, mode);
      this.#tagged = { at: where, etag: result.etag, mode, key };
    }
    return result;
  }

  async loadView(at: Name): Promise<Seen | undefined> {
    return this.#observe(
      "loadView",
      async ({ iceberg: service }) => seen(await service.loadView(ANONYMOUS, viewOf(at))),
      (state, code, value) => {
        const view = relationAt(state, "view", at);
        if (view === undefined) return verdict(code === "VIEW_NOT_FOUND");
        return verdict(
          value !== undefined && contentKey(value.content) === contentKey(view.content),
        );
      },
    );
  }

  async exists(type: Relation["type"], at: Name): Promise<void> {
    await this.#observe(
      type === "table" ? "tableExists" : "viewExists",
      ({ iceberg: service }) =>
        type === "table"
          ? service.tableExists(ANONYMOUS, tableOf(at))
          : service.viewExists(ANONYMOUS, viewOf(at)),
      (state, code) => {
        const there = relationAt(state, type, at) !== undefined;
        const missing = type === "table" ? "TABLE_NOT_FOUND" : "VIEW_NOT_FOUND";
        return verdict(code === (there ? undefined : missing));
      },
    );
  }

  async loadNamespace(path: Path): Promise<void> {
    await this.#observe(
      "loadNamespace",
      ({ iceberg: service }) => service.loadNamespace(ANONYMOUS, namespaceOf(path)),
      (state, code, value) => {
        const marks = state.namespaces.get(pathKey(path));
        if (code === "NAMESPACE_NOT_FOUND" && isBelowLeaving(state, path)) return "holds";
        if (marks === undefined) return verdict(code === "NAMESPACE_NOT_FOUND");
        return verdict(
          value !== undefined &&
            JSON.stringify(marksOf(value.properties)) === JSON.stringify(marks),
        );
      },
    );
  }

  /** Lists all at once: what is answered was so at one instant. */
  async listAll(kind: ListKind, path: Path): Promise<void> {
    await this.#observe(
      LISTS[kind].operation,
      async ({ iceberg: service }) => (await LISTS[kind].page(service, path, {})).items,
      (state, code, value) => {
        const names = namesAt(state, kind, path);
        if (names === undefined) return verdict(code === "NAMESPACE_NOT_FOUND");
        return verdict(value !== undefined && JSON.stringify(value) === JSON.stringify(names));
      },
    );
  }

  /**
   * Lists page by page, while others write: in order, nothing twice, nothing missing that was there
   * all the time, nothing that never was.
   */
  async listPaged(kind: ListKind, path: Path): Promise<void> {
    const since = this.#history.length;
    const names: string[] = [];
    let pageToken: string | null = "";
    while (pageToken !== null) {
      const page: PageRequest = { pageToken, pageSize: 2 };
      const answer: Answer<Listed> = await this.#client.read(
        LISTS[kind].operation,
        ({ iceberg: service }) => LISTS[kind].page(service, path, page),
      );
      if (answer.answer !== "done") {
        this.#judgeEnd(kind, path, since, answer);
        return;
      }
      names.push(...answer.value.items);
      pageToken = answer.value.nextPageToken;
    }
    const what = `${kind} of ${pathKey(path)}: ${JSON.stringify(names)}`;
    const ordered = names.every((name, i) => i === 0 || isAfter(names[i - 1] ?? "", name));
    if (!ordered) throw new Violation(`out of order: ${what}`);
    const history = this.#history;
    const present = (name: string) => (state: State) =>
      namesAt(state, kind, path)?.includes(name) === true;
    for (const name of names) {
      if (!history.some(since, present(name))) throw new Violation(`${name} never was in ${what}`);
    }
    for (const name of namesAt(history.now, kind, path) ?? []) {
      if (names.includes(name) || !history.every(since, present(name))) continue;
      throw new Violation(`${name} is missing from ${what}`);
    }
  }

  #judgeEnd(kind: ListKind, path: Path, since: number, answer: Answer<unknown>): void {
    if (answer.answer !== "refused") return;
    const gone = (state: State) => namesAt(state, kind, path) === undefined;
    if (answer.code === "NAMESPACE_NOT_FOUND" && this.#history.some(since, gone)) return;
    throw new Violation(`${kind} of ${pathKey(path)} was refused without reason: ${answer.code}`);
  }

  /**
   * Reads, and throws unless what was answered held of some state meanwhile. `holds` is told the
   * code where it was refused, else the value.
   */
  async #observe<T>(
    operation: string,
    call: (node: Node) => Promise<T>,
    holds: (state: State, code: string | undefined, value: T | undefined) => Verdict,
  ): Promise<T | undefined> {
    const since = this.#history.length;
    const answer = await this.#client.read(operation, call);
    if (answer.answer === "nothing" || answer.answer === "unknown") return undefined;
    const code = answer.answer === "refused" ? answer.code : undefined;
    const value = answer.answer === "done" ? answer.value : undefined;
    if (this.#history.some(since, (state) => holds(state, code, value) === "holds")) return value;
    const said = code ?? JSON.stringify(value);
    throw new Violation(`${this.name} ${operation} was answered what never was: ${said}`);
  }
}

const ANONYMOUS = { requestId: "read", principal: "reader", account: "default" } as const;

type Verdict = "holds" | "does not hold";

function verdict(holds: boolean): Verdict {
  return holds ? "holds" : "does not hold";
}

function placeCode(state: State, at: Name): string | undefined {
  const [above] = parentCodes(state, at.path);
  if (above !== undefined) return above;
  const type = state.relations.get(JSON.stringify([at.path, at.name]))?.type;
  if (type === undefined) return undefined;
  return type === "view" ? "VIEW_ALREADY_EXISTS" : "TABLE_ALREADY_EXISTS";
}

export type ListKind = "tables" | "views" | "namespaces";

interface Listed {
  readonly items: readonly string[];
  readonly nextPageToken: string | null;
}

interface ListOf {
  readonly operation: string;
  readonly page: (service: IcebergService, path: Path, request: PageRequest) => Promise<Listed>;
}

const LISTS: Readonly<Record<ListKind, ListOf>> = {
  tables: {
    operation: "listTables",
    page: (service, path, request) => service.listTables(ANONYMOUS, namespaceOf(path), request),
  },
  views: {
    operation: "listViews",
    page: (service, path, request) => service.listViews(ANONYMOUS, namespaceOf(path), request),
  },
  namespaces: {
    operation: "listNamespaces",
    page: async (service, path, request) => {
      const { items, nextPageToken } = await service.listNamespaces(
        ANONYMOUS,
        namespaceOf(path).catalog,
        path,
        request,
      );
      return { items: items.map((child) => child.at(-1) ?? ""), nextPageToken };
    },
  },
};

/** Names of a list; undefined where its namespace is not there. */
function namesAt(state: State, kind: ListKind, path: Path): readonly string[] | undefined {
  if (path.length > 0 && !state.namespaces.has(pathKey(path))) return undefined;
  switch (kind) {
    case "tables":
      return namesIn(state, "table", path);
    case "views":
      return namesIn(state, "view", path);
    case "namespaces":
      return childrenOf(state, path);
  }
}

function isAfter(a: string, b: string): boolean {
  return inKeyOrder([b, a])[0] === a && a !== b;
}
