import { useRef } from "preact/hooks";
import type { IcebergPage, PageRef } from "../../api/page-operations.ts";
import type { Snapshot, Table } from "../../api/resources.ts";
import { commitRef } from "../commit-ref.ts";
import { shortId } from "../format.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Id } from "../parts/copy.tsx";
import { useRun } from "../parts/use-run.ts";
import { STRINGS } from "../strings.ts";
import { Compared } from "./compared.tsx";

interface RefProps {
  readonly table: Table;
  readonly iceberg: IcebergPage;
  readonly onDone: () => void;
}

const MAIN = "main";

function refOf({ refs }: IcebergPage, name: string): PageRef | undefined {
  return refs.find((ref) => ref.name === name);
}

/** Whether a snapshot grew out of another, or is that one. */
function isAncestor({ snapshots }: IcebergPage, older: string, newer: string): boolean {
  const parents = new Map(
    snapshots.map(({ snapshotId, parentSnapshotId }) => [snapshotId, parentSnapshotId]),
  );
  let at: string | undefined = newer;
  for (let steps = 0; at !== undefined && steps <= parents.size; steps++) {
    if (at === older) return true;
    at = parents.get(at);
  }
  return false;
}

/** What can be done with the chosen snapshot: name it, or make it the current one again. */
export function SnapshotActions({
  table,
  iceberg,
  snapshot,
  onDone,
}: RefProps & { readonly snapshot: Snapshot }) {
  const field = useRef<HTMLInputElement>(null);
  const { refusal, run } = useRun();
  const { snapshotId } = snapshot;
  const name = async (type: PageRef["type"]) => {
    const ref = field.current?.value ?? "";
    const change = { name: ref, type, snapshotId, known: undefined };
    if (await run(() => commitRef(table, change))) onDone();
  };
  return (
    <section class="compared" aria-label={STRINGS.chosen}>
      <h2>
        {STRINGS.chosen} {shortId(snapshotId)}
      </h2>
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      <form class="actions" onSubmit={(event) => event.preventDefault()}>
        <label>
          {STRINGS.refName} <input ref={field} autocomplete="off" spellcheck={false} />
        </label>
        <button type="button" onClick={() => void name("tag")}>
          {STRINGS.tag}
        </button>
        <button type="button" onClick={() => void name("branch")}>
          {STRINGS.branch}
        </button>
      </form>
      <Rollback table={table} iceberg={iceberg} snapshot={snapshot} onDone={onDone} />
    </section>
  );
}

/** The branch `main` goes back to an ancestor of what it is at; what that means is shown first. */
function Rollback({
  table,
  iceberg,
  snapshot,
  onDone,
}: RefProps & { readonly snapshot: Snapshot }) {
  const { refusal, run } = useRun();
  const main = refOf(iceberg, MAIN);
  const current = iceberg.snapshots.find(({ snapshotId }) => snapshotId === main?.snapshotId);
  const { snapshotId } = snapshot;
  if (main === undefined || current === undefined) return null;
  if (main.snapshotId === snapshotId) return <p class="dim">{STRINGS.isCurrent}</p>;
  if (!isAncestor(iceberg, snapshotId, main.snapshotId)) {
    return <p class="dim">{STRINGS.noAncestor}</p>;
  }
  const change = { name: MAIN, type: "branch", snapshotId, known: main } as const;
  const rollBack = async () => {
    const isDone = await run(() => commitRef(table, change));
    if (isDone) onDone();
    return isDone;
  };
  return (
    <Confirm
      action={STRINGS.rollBack}
      name={table.name}
      text={STRINGS.confirmRollback}
      onOpen={() => void run(() => commitRef(table, change, true))}
      onConfirm={rollBack}
    >
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      <Compared iceberg={iceberg} from={current} to={snapshot} />
    </Confirm>
  );
}

/** Branches and tags, which may be deleted; their snapshots stay until they expire. */
export function Refs({ table, iceberg, onDone }: RefProps) {
  const { refusal, run } = useRun();
  const others = iceberg.refs.filter(({ name }) => name !== MAIN);
  if (others.length === 0) return null;
  const remove = (known: PageRef) => async () => {
    const { name, type } = known;
    const change = { name, type, snapshotId: undefined, known };
    const isDone = await run(() => commitRef(table, change));
    if (isDone) onDone();
    return isDone;
  };
  return (
    <details>
      <summary>{STRINGS.refs}</summary>
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      <ul class="plain listed">
        {others.map((ref) => (
          <li key={ref.name}>
            <span class={`ref ${ref.type}`}>{ref.name}</span>
            <Id id={ref.snapshotId} />
            <Confirm
              action={STRINGS.delete}
              name={ref.name}
              text={STRINGS.confirmRef}
              onConfirm={remove(ref)}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}
