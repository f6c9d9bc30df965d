import { useEffect, useRef, useState } from "preact/hooks";
import type { Column, Table } from "../../api/resources.ts";
import type { JsonRow, RowWrite } from "../../api/row-operations.ts";
import { ApiError, namespaceName } from "../../client/client.ts";
import { client } from "../data.ts";
import { useRun } from "../parts/use-run.ts";
import { changedIn, type Field, type ReadRow, shownOf } from "../row-values.ts";
import { STRINGS } from "../strings.ts";
import { RowChanged } from "./row-changed.tsx";

interface RowFormProps {
  readonly table: Table;
  /** Columns of the primary key. */
  readonly keyColumns: readonly string[];
  /** The row that is changed; `new` makes one. */
  readonly row: ReadRow | "new";
  readonly onClose: (isDone: boolean) => void;
}

function keyOf(row: JsonRow, columns: readonly string[]): JsonRow {
  return Object.fromEntries(columns.map((name) => [name, row[name]]));
}

/** One row in fields: a new one, or one that is changed or deleted. */
export function RowForm({ table, keyColumns, row, onClose }: RowFormProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { refusal, run } = useRun();
  const [known, setKnown] = useState(row === "new" ? undefined : row);
  /** What the row is now, where it is not what was read; null: there is none. */
  const [now, setNow] = useState<ReadRow | null>();
  const { catalog, namespace, name } = table;
  const path = { catalog, namespace: namespaceName(namespace), table: name };
  useEffect(() => dialog.current?.showModal(), []);
  const write = async (writeOf: () => RowWrite | undefined) => {
    const isDone = await run(async () => {
      const next = writeOf();
      if (next === undefined) return;
      try {
        await client.call("writeRows", { path, body: { writes: [next] } });
      } catch (error) {
        if (known === undefined || !isChanged(error)) throw error;
        setNow(await readAgain(path, keyOf(known.row, keyColumns)));
        throw new RangeError(STRINGS.rowChanged);
      }
    });
    if (isDone) onClose(true);
  };
  const save = (fields: readonly Field[]) =>
    write(() => {
      const set = changedIn(fields, known?.row);
      if (known === undefined) return { op: "insert", row: set };
      if (Object.keys(set).length === 0) return undefined;
      const { row: before, version: ifVersion } = known;
      return { op: "update", key: keyOf(before, keyColumns), set, ifVersion };
    });
  const remove = ({ row: before, version: ifVersion }: ReadRow) =>
    write(() => ({ op: "delete", key: keyOf(before, keyColumns), ifVersion }));
  return (
    <dialog ref={dialog} aria-labelledby="row-title" onClose={() => onClose(false)}>
      <h2 id="row-title">{known === undefined ? STRINGS.addRow : STRINGS.editRowTitle}</h2>
      <p class="dim">{STRINGS.rowWrite}</p>
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {known !== undefined && now !== undefined && (
        <RowChanged
          columns={table.columns ?? []}
          before={known.row}
          now={now}
          onTake={(taken) => {
            setKnown(taken);
            setNow(undefined);
          }}
        />
      )}
      <Fields
        key={known?.version}
        columns={table.columns ?? []}
        keyColumns={keyColumns}
        row={known?.row}
        onSave={save}
        onCancel={() => onClose(false)}
        {...(known !== undefined && { onDelete: () => remove(known) })}
      />
    </dialog>
  );
}

function isChanged(error: unknown): boolean {
  return error instanceof ApiError && error.problem.code === "ROW_CHANGED";
}

/** The row as it is now. @throws ApiError */
async function readAgain(
  path: { readonly catalog: string; readonly namespace: string; readonly table: string },
  key: JsonRow,
): Promise<ReadRow | null> {
  const body = { keys: [key], versions: true };
  const { rows, versions = [] } = await client.call("getRows", { path, body });
  const [row] = rows;
  return row === null || row === undefined ? null : { row, version: versions[0] ?? "" };
}

interface FieldsProps {
  readonly columns: readonly Column[];
  readonly keyColumns: readonly string[];
  readonly row: JsonRow | undefined;
  readonly onSave: (fields: readonly Field[]) => Promise<void>;
  readonly onCancel: () => void;
  readonly onDelete?: () => Promise<void>;
}

function Fields({ columns, keyColumns, row, onSave, onCancel, onDelete }: FieldsProps) {
  const [fields, setFields] = useState<readonly Field[]>(() =>
    columns.map(({ name, type }) => ({
      name,
      type,
      text: shownOf(row?.[name] ?? null, type),
      isNull: (row?.[name] ?? null) === null,
    })),
  );
  const change = (at: number, more: Partial<Field>) =>
    setFields(fields.map((field, i) => (i === at ? { ...field, ...more } : field)));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void onSave(fields);
      }}
    >
      <div class="row-fields">
        {fields.map(({ name, type, text, isNull }, i) => (
          <RowField
            key={name}
            {...{ name, type, text, isNull }}
            isNullable={columns[i]?.nullable ?? true}
            isFixed={row !== undefined && keyColumns.includes(name)}
            onChange={(more) => change(i, more)}
          />
        ))}
      </div>
      <p class="actions">
        <button type="button" onClick={onCancel}>
          {STRINGS.cancel}
        </button>
        <button type="submit" class="primary">
          {STRINGS.save}
        </button>
        {onDelete !== undefined && <Delete onDelete={onDelete} />}
      </p>
    </form>
  );
}

interface RowFieldProps extends Field {
  /** Of the key of a row that is there: it says which row is meant. */
  readonly isFixed: boolean;
  readonly isNullable: boolean;
  readonly onChange: (more: Partial<Field>) => void;
}

function RowField(props: RowFieldProps) {
  const { name, type, text, isNull, isFixed, isNullable, onChange } = props;
  return (
    <div>
      <label>
        {name} <span class="dim">{type}</span>
        <input
          value={isNull ? "" : text}
          placeholder={isNull ? STRINGS.isNull : ""}
          disabled={isFixed}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onChange({ text: event.currentTarget.value, isNull: false })}
        />
      </label>
      {!isFixed && isNullable && (
        <label>
          <input
            type="checkbox"
            aria-label={`${name} ${STRINGS.isNull}`}
            checked={isNull}
            onChange={(event) => onChange({ isNull: event.currentTarget.checked })}
          />{" "}
          {STRINGS.isNull}
        </label>
      )}
    </div>
  );
}

/** Asks once more: nothing brings a row back. */
function Delete({ onDelete }: { readonly onDelete: () => Promise<void> }) {
  const [isSure, setSure] = useState(false);
  return (
    <button
      type="button"
      class="danger"
      onClick={() => {
        if (isSure) void onDelete();
        else setSure(true);
      }}
    >
      {isSure ? STRINGS.deleteForGood : STRINGS.deleteRow}
    </button>
  );
}
