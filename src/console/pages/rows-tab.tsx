import { useState } from "preact/hooks";
import type { Table } from "../../api/resources.ts";
import { namespaceName } from "../../client/client.ts";
import { client, useLoaded } from "../data.ts";
import { countText } from "../format.ts";
import { useLook } from "../navigation.ts";
import { type Column, Grid } from "../parts/grid.tsx";
import { Empty, Refused, Shown } from "../parts/states.tsx";
import { usePages } from "../parts/use-pages.ts";
import { Value } from "../parts/value.tsx";
import type { ReadRow } from "../row-values.ts";
import { STRINGS } from "../strings.ts";
import { useDefinitions } from "./definitions.tsx";
import { RowForm } from "./row-form.tsx";

const PAGE_SIZE = 500;
const NUMBER = /^(?:int|float|numeric|oid)/;

interface Numbered extends ReadRow {
  readonly at: number;
}

/** The rows of a row table, in the order of its key or of an index; all of one state. */
export function RowsTab({ table }: { readonly table: Table }) {
  const [order, setOrder] = useLook("order");
  const [last, setLast] = useLook("last");
  const index = order === "" ? undefined : order;
  const isReverse = last !== "";
  const [turn, setTurn] = useState(0);
  const [edited, setEdited] = useState<ReadRow | "new">();
  const { data: definitions } = useDefinitions(table);
  const keyColumns = (definitions ?? [])
    .filter(({ kind }) => kind === "key")
    .map(({ name }) => name);
  return (
    <>
      {edited !== undefined && (
        <RowForm
          table={table}
          keyColumns={keyColumns}
          row={edited}
          onClose={(isDone) => {
            setEdited(undefined);
            if (isDone) setTurn(turn + 1);
          }}
        />
      )}
      <p class="actions">
        <Order table={table} chosen={index} onChoose={setOrder} />
        <label>
          <input
            type="checkbox"
            checked={isReverse}
            onChange={(event) => setLast(event.currentTarget.checked ? "first" : "")}
          />{" "}
          {STRINGS.lastFirst}
        </label>
        <button type="button" onClick={() => setTurn(turn + 1)}>
          {STRINGS.refresh}
        </button>
        <button type="button" onClick={() => setEdited("new")}>
          {STRINGS.addRow}
        </button>
        {definitions !== undefined && keyColumns.length === 0 && (
          <span class="dim">{STRINGS.noKey}</span>
        )}
      </p>
      <Scan
        key={JSON.stringify([index, isReverse, turn])}
        table={table}
        index={index}
        isReverse={isReverse}
        onEdit={keyColumns.length === 0 ? undefined : setEdited}
      />
    </>
  );
}

interface OrderProps {
  readonly table: Table;
  readonly chosen: string | undefined;
  readonly onChoose: (index: string) => void;
}

function Order({ table, chosen = "", onChoose }: OrderProps) {
  const { data = [] } = useDefinitions(table);
  const indexes = data.filter(({ kind, isPrimary }) => kind === "index" && !isPrimary);
  return (
    <label>
      {STRINGS.order}{" "}
      <select value={chosen} onChange={({ currentTarget: { value } }) => onChoose(value)}>
        <option value="">{STRINGS.primaryKey}</option>
        {indexes.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function columnsOf(table: Table, onEdit: ScanProps["onEdit"]): readonly Column<Numbered>[] {
  const shown = (table.columns ?? []).map(({ name, type }) => ({
    name,
    title: type,
    of: ({ row }: Numbered) => <Value value={row[name]} />,
    isNumber: NUMBER.test(type) && !type.endsWith("[]"),
  }));
  if (onEdit === undefined) return shown;
  const edit = (row: Numbered) => (
    <button type="button" class="edit" onClick={() => onEdit(row)}>
      {STRINGS.editRow}
    </button>
  );
  return [...shown, { name: STRINGS.change, of: edit, isNameless: true }];
}

interface ScanProps {
  readonly table: Table;
  readonly index: string | undefined;
  readonly isReverse: boolean;
  readonly onEdit: ((row: ReadRow) => void) | undefined;
}

function Scan({ table, index, isReverse, onEdit }: ScanProps) {
  const { catalog, namespace, name } = table;
  const path = { catalog, namespace: namespaceName(namespace), table: name };
  const page = async (pageToken?: string) => {
    const body = {
      pageSize: PAGE_SIZE,
      versions: true,
      ...(index !== undefined && { index }),
      ...(isReverse && { reverse: true }),
      ...(pageToken !== undefined && { pageToken }),
    };
    const { rows, versions, ...more } = await client.call("scanRows", { path, body });
    return { items: rows.map((row, i) => ({ row, version: versions?.[i] ?? "" })), ...more };
  };
  const first = useLoaded(`rows ${JSON.stringify([path, index, isReverse])}`, () => page());
  const more = usePages(first.data?.nextPageToken, page);
  return (
    <Shown {...first}>
      {({ items }) => {
        const rows = [...items, ...more.items];
        return (
          <>
            <p class="dim" role="status">
              {countText(rows.length)} rows{more.next === undefined ? "" : " so far"}
            </p>
            {more.error !== undefined && <Refused error={more.error} />}
            {rows.length === 0 && <Empty text={STRINGS.noRowsYet} />}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus */}
            <section class="scroll" tabIndex={0} aria-label={STRINGS.rows}>
              <Grid
                label={STRINGS.rows}
                items={rows.map((row, at): Numbered => ({ at, ...row }))}
                keyOf={({ at }) => String(at)}
                onEnd={more.next}
                columns={columnsOf(table, onEdit)}
                onOpen={onEdit}
              />
            </section>
          </>
        );
      }}
    </Shown>
  );
}
