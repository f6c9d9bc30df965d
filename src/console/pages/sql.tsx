import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { sqlPlace } from "../../client/sql-place.ts";
import { client, useLoaded } from "../data.ts";
import { countText } from "../format.ts";
import { addressOf, look, useLook } from "../navigation.ts";
import { Copy } from "../parts/copy.tsx";
import { Grid } from "../parts/grid.tsx";
import { Heading } from "../parts/heading.tsx";
import { SqlEditor, type SqlText } from "../parts/sql-editor.tsx";
import { Value } from "../parts/value.tsx";
import { type PlanStep, planTree } from "../plan-tree.ts";
import { forgetStatements, keepStatement, pastStatements } from "../sql-history.ts";
import { SqlNames } from "../sql-names.ts";
import { runSql, type SqlRow, type SqlRun } from "../sql-run.ts";
import { STRINGS } from "../strings.ts";
import { Plan } from "./plan.tsx";

const FIRST = "SELECT table_schema, table_name FROM information_schema.tables";
const DEFAULT_CATALOG = "default";
const TIMEOUT_MS = 600_000;

/** SQL over row tables: an editor, the result, what was run before. */
export function SqlPage() {
  const editor = useRef<SqlText | null>(null);
  const cancel = useRef<AbortController>(undefined);
  const [run, setRun] = useState<SqlRun>();
  const [past, setPast] = useState(pastStatements);
  const [given, setCatalog] = useLook("catalog");
  const catalog = given || DEFAULT_CATALOG;
  // Another statement may have made others.
  const names = useMemo(() => new SqlNames(catalog), [catalog, run?.state]);
  // A statement whose result is not shown any more is cancelled.
  useEffect(() => () => cancel.current?.abort(), []);
  const isRunning = run?.state === "running";
  const start = (explains = false) => {
    const written = editor.current?.read() ?? "";
    if (isRunning || written.trim() === "") return;
    setPast(keepStatement(written));
    const statement = explains ? explained(written) : written;
    const control = new AbortController();
    cancel.current = control;
    void runSql({ statement, catalog, timeoutMs: TIMEOUT_MS }, control.signal, setRun);
  };
  /** A statement goes into an address only when it is asked for: addresses are logged and kept. */
  const link = () =>
    `${location.origin}${addressOf({ view: "sql" }, { catalog, sql: editor.current?.read() ?? "" })}`;
  return (
    <>
      <Heading name={STRINGS.sql} />
      <form
        class="sql"
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <SqlEditor
          text={editor}
          label={STRINGS.statement}
          initial={look.value.get("sql") ?? past[0] ?? FIRST}
          onRun={start}
          names={names}
        />
        <p class="actions">
          <Catalogs chosen={catalog} onChoose={setCatalog} />
          <button type="submit" class="primary" disabled={isRunning}>
            {STRINGS.run}
          </button>
          <button type="button" disabled={isRunning} onClick={() => start(true)}>
            {STRINGS.explain}
          </button>
          <button type="button" disabled={!isRunning} onClick={() => cancel.current?.abort()}>
            {STRINGS.cancel}
          </button>
          <Copy text={link} label={STRINGS.copyLink} />
          <span class="dim">{STRINGS.runKey}</span>
        </p>
      </form>
      {run !== undefined && <Result run={run} onPlace={(offset) => editor.current?.show(offset)} />}
      <Past
        past={past}
        onLoad={(statement) => editor.current?.load(statement)}
        onForget={() => {
          forgetStatements();
          setPast([]);
        }}
      />
    </>
  );
}

/** What tells how a statement would be done. One that is told already stays as it is. */
function explained(statement: string): string {
  return /^\s*explain\b/i.test(statement) ? statement : `EXPLAIN ${statement}`;
}

/** The plan that a result is, if it is one. */
function planOf({ columns, rows, state }: SqlRun): readonly PlanStep[] | undefined {
  if (state !== "done" || columns.length !== 1 || columns[0]?.name !== "QUERY PLAN")
    return undefined;
  return planTree(rows.map(([line]) => String(line)));
}

interface CatalogsProps {
  readonly chosen: string;
  readonly onChoose: (catalog: string) => void;
}

/** A database is a catalog. */
function Catalogs({ chosen, onChoose }: CatalogsProps) {
  const { data } = useLoaded("catalogs", () =>
    client.call("listCatalogs", { query: { pageSize: 1_000 } }),
  );
  const names = new Set([chosen, ...(data?.items ?? []).map(({ name }) => name)]);
  return (
    <label>
      {STRINGS.catalog}{" "}
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        {[...names].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ResultProps {
  readonly run: SqlRun;
  readonly onPlace: (offset: number) => void;
}

function Result({ run, onPlace }: ResultProps) {
  const { columns, rows, rowCount, state, notices = [] } = run;
  const plan = planOf(run);
  return (
    <section aria-label={STRINGS.result}>
      <p role="status" class={`state ${state}`}>
        {outcomeText(run)}
      </p>
      {state === "failed" && <Failure run={run} onPlace={onPlace} />}
      {notices.map(({ severity, message }, i) => (
        <p key={i} class="dim">
          {severity}: {message}
        </p>
      ))}
      {rowCount > rows.length && state !== "running" && (
        <p class="dim">
          The first {countText(rows.length)} of {countText(rowCount)} rows are shown.
        </p>
      )}
      {plan !== undefined && <Plan steps={plan} />}
      {columns.length > 0 && plan === undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
        <section class="scroll" tabIndex={0} aria-label={STRINGS.rows}>
          <Rows columns={columns} rows={rows} />
        </section>
      )}
    </section>
  );
}

/** Only a refusal tells that nothing was done; any other failure may come behind the commit. */
function outcomeText({ state, command, ms, rowCount, error }: SqlRun): string {
  const took = `${countText(Math.round(ms))} ms`;
  switch (state) {
    case "running":
      return `${STRINGS.running} ${countText(rowCount)} rows · ${took}`;
    case "done":
      return `${command} · ${took}`;
    case "cancelled":
      return STRINGS.cancelled;
    case "failed":
      return error !== undefined && error.problem.status < 500 ? STRINGS.failed : STRINGS.unknown;
  }
}

function Failure({ run: { error, statement }, onPlace }: ResultProps) {
  if (error === undefined) return <p role="alert">{STRINGS.noAnswer}</p>;
  const { detail, code, context } = error.problem;
  const { position, hint, sqlState } = context;
  const place = typeof position === "number" ? sqlPlace(statement, position) : undefined;
  return (
    <section class="refused" role="alert">
      <h2>
        {STRINGS.error} {sqlState ?? code}
      </h2>
      <p>{factless(detail)}</p>
      {place !== undefined && (
        <>
          <button type="button" onClick={() => onPlace(place.offset)}>
            Line {place.line}, column {place.column + 1}
          </button>
          <pre>
            {place.text.slice(0, place.column)}
            <mark>{place.text.slice(place.column, place.column + 1) || " "}</mark>
            {place.text.slice(place.column + 1)}
          </pre>
        </>
      )}
      {hint !== undefined && <p class="dim">{hint}</p>}
    </section>
  );
}

/** Without the facts at its end, which are shown beside it. */
function factless(detail: string): string {
  return detail.replace(/ \((?:sqlState|position|hint)=.*\)$/s, "");
}

interface Numbered {
  readonly at: number;
  readonly values: SqlRow;
}

function Rows({ columns, rows }: Pick<SqlRun, "columns" | "rows">) {
  const items = rows.map((values, at): Numbered => ({ at, values }));
  return (
    <Grid
      label={STRINGS.result}
      items={items}
      keyOf={({ at }) => String(at)}
      columns={columns.map(({ name, type }, i) => ({
        name,
        title: type,
        of: ({ values }: Numbered) => <Value value={values[i]} />,
        isNumber: NUMBERS.has(type),
      }))}
    />
  );
}

const NUMBERS: ReadonlySet<string> = new Set([
  "smallint",
  "integer",
  "bigint",
  "numeric",
  "real",
  "double precision",
]);

interface PastProps {
  readonly past: readonly string[];
  readonly onLoad: (statement: string) => void;
  readonly onForget: () => void;
}

function Past({ past, onLoad, onForget }: PastProps) {
  if (past.length === 0) return null;
  return (
    <details class="past">
      <summary>
        {STRINGS.past} ({past.length})
      </summary>
      <ul class="plain">
        {past.map((statement) => (
          <li key={statement}>
            <button
              type="button"
              title={statement.slice(0, 1_000)}
              onClick={() => onLoad(statement)}
            >
              {statement.slice(0, 200)}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={onForget}>
        {STRINGS.forget}
      </button>
    </details>
  );
}
