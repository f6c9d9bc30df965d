import type { Actor } from "../../src/catalog/context.ts";
import { commitTogether, type TableChange } from "../../src/catalog/transactions.ts";
import * as op from "../catalog/support/operations.ts";
import { ACTOR } from "../support/open-catalog.ts";
import type { Site } from "./sites.ts";

/** What the matrix strikes: a row for each of its steps. */
export interface Subject {
  readonly name: string;
  /** Profiles that it is struck in; all if absent. */
  readonly site?: Site["name"];
  readonly operation: op.Operation;
  /** Comes just before the step that is struck, without faults of its own. */
  readonly rival?: op.Operation;
  /** Under a client's key: sent again on another node, it must come to one and the same. */
  readonly keyed?: true;
  /** Opening the process is part of it, while another one has the stores. */
  readonly takesOver?: true;
}

/** What stands when a run begins. */
export const TREE: readonly op.Operation[] = [
  op.createCatalog(op.CATALOG),
  op.createNamespace("s"),
  op.createNamespace("n"),
  op.createTable("s.t"),
  op.createTable("s.u"),
];

/** What the subject's process has looked at before. */
export const WARM: readonly op.Operation[] = [op.findTable("s.t")];

/** What another process is asked in the end: every name that may be there, and one of them. */
export const LOOKS: readonly op.Operation[] = [
  ...["s", "n"].map(op.listTables),
  op.findTable("n.x"),
];

const KEY = "0199d8a0-0000-7000-8000-000000000001";

/** A request under a client's key, made anew whenever it is sent. */
function keyed(): Actor {
  const requestHash = new Uint8Array(32).fill(1);
  return { ...ACTOR, idempotency: { key: KEY, requestHash, replayed: false } };
}

function refOf(path: string): { catalog: string; path: string[]; name: string } {
  const levels = path.split(".");
  return { catalog: op.CATALOG, path: levels.slice(0, -1), name: levels.at(-1) ?? "" };
}

function committing(path: string, mark: string): TableChange {
  return {
    ref: refOf(path),
    update: async ({ entity }) => ({
      location: entity.location,
      iceberg: op.icebergAt(`${entity.iceberg?.metadataLocation}${mark}`),
    }),
  };
}

/** Two tables and a new one, as one. */
function commitAll(mark: string, actor: () => Actor = () => ACTOR): op.Operation {
  const create: TableChange = {
    ref: refOf("n.x"),
    create: async () => ({ location: "file:///w/n.x", iceberg: op.icebergAt(`n.x/${mark}`) }),
  };
  return {
    name: `commit ${mark} to several tables`,
    run: async ({ catalog }) => {
      const changes = [committing("s.t", mark), committing("s.u", mark), create];
      await commitTogether(catalog.context, catalog.tables, actor(), changes);
      return "committed";
    },
  };
}

function keyedCreate(path: string): op.Operation {
  return {
    name: `create ${path} under a key`,
    run: async ({ catalog }) => {
      const location = `file:///w/${path}`;
      const draft = async () => ({ location, iceberg: op.icebergAt(`${path}/0`) });
      const { entity } = await catalog.tables.create(keyed(), "create-table", refOf(path), draft);
      return `created ${entity.location}`;
    },
  };
}

function keyedCommit(path: string, mark: string): op.Operation {
  return {
    name: `commit ${mark} to ${path} under a key`,
    run: async ({ catalog }) => {
      const change = committing(path, mark);
      if (!("update" in change)) throw new Error("a commit updates");
      const { ref, update } = change;
      const { entity } = await catalog.tables.update(keyed(), "commit-table", ref, update);
      return `committed ${entity.iceberg?.metadataLocation}`;
    },
  };
}

/** Every operation of the catalog that the matrix is of. */
export const SUBJECTS: readonly Subject[] = [
  { name: "create", operation: op.createTable("n.x") },
  { name: "update", operation: op.commitSnapshots("s.t", [7n]) },
  { name: "rename", operation: op.renameTable("s.t", "n.x") },
  { name: "drop", operation: op.dropTable("s.t") },
  { name: "transaction", operation: commitAll("A") },
  { name: "create, parent drops", operation: op.createTable("n.x"), rival: op.dropNamespace("n") },
  { name: "drop, child comes", operation: op.dropNamespace("n"), rival: op.createTable("n.x") },
  {
    name: "update, rival too",
    operation: op.commitTable("s.t", "A"),
    rival: op.commitTable("s.t", "B"),
  },
  {
    name: "rename, rival drops",
    operation: op.renameTable("s.t", "n.x"),
    rival: op.dropTable("s.t"),
  },
  { name: "transaction, rival", operation: commitAll("A"), rival: op.commitTable("s.u", "B") },
  { name: "create, keyed", operation: keyedCreate("n.x"), keyed: true },
  { name: "update, keyed", operation: keyedCommit("s.t", "A"), keyed: true },
  { name: "transaction, keyed", operation: commitAll("A", keyed), keyed: true },
  { name: "refusal, keyed", operation: keyedCreate("s.t"), keyed: true },
  {
    name: "take-over",
    site: "bucket",
    takesOver: true,
    operation: op.commitTable("s.t", "A"),
    rival: op.commitTable("s.t", "B"),
  },
];
