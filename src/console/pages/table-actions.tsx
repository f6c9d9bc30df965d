import { useRef, useState } from "preact/hooks";
import type { Table } from "../../api/resources.ts";
import { namespaceName } from "../../client/client.ts";
import { client } from "../data.ts";
import { go } from "../navigation.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Link } from "../parts/link.tsx";
import { useRun } from "../parts/use-run.ts";
import { previewOf } from "../sql-preview.ts";
import { STRINGS } from "../strings.ts";

/** What can be done to a table: protect, rename, drop it. */
export function TableActions({
  table,
  onDone,
}: {
  readonly table: Table;
  readonly onDone: () => void;
}) {
  const { refusal, run } = useRun();
  const [purge, setPurge] = useState(false);
  const { catalog, namespace, name } = table;
  const path = { catalog, namespace: namespaceName(namespace), table: name };
  const protect = async () => {
    const body = { protected: !table.protected };
    if (await run(() => client.call("updateTable", { path, body }, { ifMatch: table.etag })))
      onDone();
  };
  const drop = async () => {
    const isDone = await run(() =>
      client.call("dropTable", { path, query: { purge } }, { ifMatch: table.etag }),
    );
    if (isDone) go({ view: "namespace", catalog, namespace });
    return isDone;
  };
  return (
    <div class="actions">
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {table.format === "ROW" && (
        <Link
          class="button"
          to={{ view: "sql" }}
          look={{ catalog, sql: previewOf(namespace, name) }}
        >
          {STRINGS.query100}
        </Link>
      )}
      <button type="button" onClick={() => void protect()}>
        {table.protected ? STRINGS.unprotect : STRINGS.protect}
      </button>
      <Rename table={table} />
      <Confirm
        action={STRINGS.drop}
        name={name}
        text={STRINGS.confirmDrop}
        isDisabled={table.protected}
        onConfirm={drop}
      >
        <p>
          <label>
            <input
              type="checkbox"
              checked={purge}
              onChange={(event) => setPurge(event.currentTarget.checked)}
            />{" "}
            {STRINGS.purge}
          </label>
        </p>
      </Confirm>
    </div>
  );
}

/** Another name, or another namespace of the catalog. */
function Rename({ table }: { readonly table: Table }) {
  const { catalog, namespace, name } = table;
  const dialog = useRef<HTMLDialogElement>(null);
  const { refusal, run } = useRun();
  const rename = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const to = {
      name: String(data.get("name")),
      namespace: String(data.get("namespace")).split(".").map(decodedLevel),
    };
    const path = { catalog, namespace: namespaceName(namespace), table: name };
    const options = { ifMatch: table.etag };
    if (await run(() => client.call("renameTable", { path, body: to }, options))) {
      dialog.current?.close();
      const { name: renamed, namespace: within } = to;
      go({ view: "table", catalog, namespace: within, table: renamed, tab: "overview" });
    }
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {STRINGS.rename}
      </button>
      <dialog ref={dialog} aria-labelledby="rename-title">
        <h2 id="rename-title">
          {STRINGS.rename} {name}
        </h2>
        <p>{STRINGS.renameTo}</p>
        {refusal !== undefined && <p role="alert">{refusal}</p>}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void rename(event.currentTarget);
          }}
        >
          <div class="fields">
            <label>
              {STRINGS.namespace}{" "}
              <input name="namespace" defaultValue={namespaceName(namespace)} spellcheck={false} />
            </label>
            <label>
              {STRINGS.name} <input name="name" defaultValue={name} spellcheck={false} required />
            </label>
          </div>
          <p class="actions">
            <button type="button" onClick={() => dialog.current?.close()}>
              {STRINGS.cancel}
            </button>
            <button type="submit" class="primary">
              {STRINGS.rename}
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}

/** What is not well encoded is meant as it stands. */
function decodedLevel(level: string): string {
  try {
    return decodeURIComponent(level);
  } catch {
    return level;
  }
}
