import { FirnError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { EXIT } from "../exit-codes.ts";
import { agoText } from "../screen.ts";
import { showList } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { commitTable, loadTable, type TableRef, type TableState } from "./iceberg-table.ts";
import { snapshotAt, tableOf } from "./snapshots.ts";
import { nameIn, targetOf } from "./target.ts";

/** `firn tag TABLE[@at] [NAME]`: lists, makes, moves or deletes tags. */
export function tag(call: VerbCall): Promise<number> {
  return changeRef(call, "tag");
}

/** `firn branch TABLE[@at] [NAME]`: lists, makes, moves or deletes branches. */
export function branch(call: VerbCall): Promise<number> {
  return changeRef(call, "branch");
}

async function changeRef(call: VerbCall, type: TableRef["type"]): Promise<number> {
  const { words, values, screen, place } = call;
  const { name, at } = targetOf(nameIn(words));
  const table = await tableOf(place, name);
  const state = await loadTable(place, table, "all");
  const [, ref] = words;
  if (ref === undefined) return listRefs(call, state, type);
  const known = state.refs.find((each) => each.name === ref);
  if (known !== undefined && known.type !== type) {
    const message = `the table has a ${known.type} of this name: choose another name`;
    throw new FirnError("Conflict", "REF_EXISTS", message, { ref });
  }
  const dryRun = values["dryRun"] === true;
  const verb = dryRun ? "would be" : "is";
  if (values["delete"] === true) {
    if (known === undefined) throw noRef(ref);
    const updates = [{ action: "remove-snapshot-ref", "ref-name": ref }];
    await commitTable(place, table, { requirements: guards(state, known, ref), updates }, dryRun);
    screen.printError(`${type} ${ref} ${verb} deleted\n`);
    return EXIT.ok;
  }
  if (known !== undefined && values["force"] !== true) {
    const message = `the table has this ${type}: --force moves it`;
    throw new FirnError("Conflict", "REF_EXISTS", message, { ref, snapshotId: known.snapshotId });
  }
  const { id } = snapshotAt(state, at);
  const updates = [
    { action: "set-snapshot-ref", "ref-name": ref, type, "snapshot-id": id, ...kept(values) },
  ];
  await commitTable(place, table, { requirements: guards(state, known, ref), updates }, dryRun);
  screen.printError(`${type} ${ref} ${verb} at ${id}\n`);
  return EXIT.ok;
}

/** How long a ref keeps its snapshots, as Iceberg words it. */
function kept({ maxAge }: VerbCall["values"]): JsonObject {
  return typeof maxAge === "number" ? { "max-ref-age-ms": maxAge } : {};
}

function noRef(ref: string): FirnError {
  return new FirnError("NotFound", "REF_NOT_FOUND", "no such branch or tag: see firn log", { ref });
}

/** What was read is what is changed: another writer's change since then is a conflict. */
function guards(
  { uuid }: TableState,
  known: TableRef | undefined,
  ref: string,
): readonly JsonObject[] {
  const at = { ref, "snapshot-id": known?.snapshotId ?? null };
  return [
    { type: "assert-table-uuid", uuid },
    { type: "assert-ref-snapshot-id", ...at },
  ];
}

async function listRefs(
  { format, screen }: VerbCall,
  state: TableState,
  type: TableRef["type"],
): Promise<number> {
  const refs = state.refs
    .filter((ref) => ref.type === type)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, snapshotId }) => {
      const snapshot = state.snapshots.find(({ id }) => id === snapshotId);
      const timestamp = snapshot && new Date(snapshot.timeMs).toISOString();
      return { name, snapshotId: String(snapshotId), timestamp };
    });
  type Ref = (typeof refs)[number];
  await showList<Ref>(
    {
      columns: [
        { header: "NAME", value: ({ name }) => name },
        { header: "SNAPSHOT", value: ({ snapshotId }) => snapshotId },
        {
          header: "TIME",
          value: ({ timestamp = "" }) => timestamp,
          shown: ({ timestamp }) =>
            timestamp === undefined ? "" : agoText(Date.parse(timestamp), screen.nowMs()),
        },
      ],
      pages: (async function* () {
        yield refs;
      })(),
      id: ({ name }) => name,
      members: ["name", "snapshotId", "timestamp"],
      empty: `the table has no ${type === "tag" ? "tags" : "branches"}`,
    },
    format,
    screen,
  );
  return EXIT.ok;
}

/** `firn rollback TABLE@at`: the branch `main` goes back to an ancestor of what it is at. */
export async function rollback({ words, values, screen, place }: VerbCall): Promise<number> {
  const { name, at } = targetOf(nameIn(words));
  if (at === undefined) {
    const message = "no snapshot to go back to: give TABLE@SNAPSHOT, @TAG, @TIME or @~1";
    throw new FirnError("Invalid", "ROLLBACK_INVALID", message, { name });
  }
  const table = await tableOf(place, name);
  const state = await loadTable(place, table, "all");
  const [main, to] = [state.refs.find((ref) => ref.name === "main"), snapshotAt(state, at)];
  const back = stepsBack(state, to.id);
  if (back === undefined && values["force"] !== true) {
    const message =
      "not an ancestor of the current snapshot: --force makes it current all the same";
    throw new FirnError("Conflict", "ROLLBACK_INVALID", message, { snapshotId: to.id });
  }
  const dryRun = values["dryRun"] === true;
  const updates = [
    { action: "set-snapshot-ref", "ref-name": "main", type: "branch", "snapshot-id": to.id },
  ];
  await commitTable(place, table, { requirements: guards(state, main, "main"), updates }, dryRun);
  const from = main === undefined ? "" : ` from ${main.snapshotId}`;
  screen.printError(`main ${dryRun ? "would go" : "is"} back at ${to.id}${from}\n`);
  return EXIT.ok;
}

/** How many snapshots lie between the current one and an ancestor; undefined where it is none. */
function stepsBack(state: TableState, to: bigint): number | undefined {
  const parents = new Map(state.snapshots.map(({ id, parent }) => [id, parent]));
  let next = state.currentSnapshotId;
  for (let steps = 0; next !== undefined && steps <= parents.size; steps++) {
    if (next === to) return steps;
    next = parents.get(next);
  }
  return undefined;
}
