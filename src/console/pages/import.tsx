import { useRef, useState } from "preact/hooks";
import type { ImportedTable, SourceCredentials } from "../../api/import-operations.ts";
import type { ConnectorKind, Summary } from "../../api/resources.ts";
import { client, useLoaded } from "../data.ts";
import { countText } from "../format.ts";
import { Grid } from "../parts/grid.tsx";
import { Heading } from "../parts/heading.tsx";
import { Shown } from "../parts/states.tsx";
import { useRun } from "../parts/use-run.ts";
import { STRINGS } from "../strings.ts";

const KINDS: readonly (readonly [ConnectorKind, string])[] = [
  ["ICEBERG_REST", "Iceberg REST catalog"],
  ["GLUE", "AWS Glue"],
  ["DELTA", "Delta tables in a folder"],
  ["UNITY", "Unity Catalog"],
];

/** Brings the tables of another catalog here: where it is, what it has, what is taken. */
export function ImportPage() {
  const { data, error, reload } = useLoaded("import", async () => {
    const [connectors, catalogs] = await Promise.all([
      client.call("listConnectors", { query: { pageSize: 1_000 } }),
      client.call("listCatalogs", { query: { pageSize: 1_000 } }),
    ]);
    return { connectors: connectors.items, catalogs: catalogs.items };
  });
  const [chosen, setChosen] = useState<string>();
  return (
    <>
      <Heading name={STRINGS.import} />
      <p class="dim">{STRINGS.importWhat}</p>
      <Shown data={data} error={error}>
        {({ connectors, catalogs }) => (
          <>
            <Source
              connectors={connectors}
              chosen={chosen}
              onChoose={(name) => {
                setChosen(name);
                void reload();
              }}
            />
            {chosen !== undefined && (
              <Transfer key={chosen} connector={chosen} catalogs={catalogs} />
            )}
          </>
        )}
      </Shown>
    </>
  );
}

interface SourceProps {
  readonly connectors: readonly Summary[];
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}

/** The first step: a connector that is known, or a new one. */
function Source({ connectors, chosen, onChoose }: SourceProps) {
  const { refusal, run } = useRun();
  const create = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? "").trim();
    const warehouse = text("warehouse");
    const body = {
      name: text("name"),
      kind: text("kind") as ConnectorKind,
      uri: text("uri"),
      ...(warehouse !== "" && { options: { warehouse } }),
    };
    if (await run(() => client.call("createConnector", { body }))) onChoose(body.name);
  };
  return (
    <section class="panel">
      <h2>{STRINGS.importFrom}</h2>
      {connectors.length > 0 && (
        <ul class="cards">
          {connectors.map(({ id, name }) => (
            <li key={id}>
              <button type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
      <details open={connectors.length === 0}>
        <summary>{STRINGS.newConnector}</summary>
        {refusal !== undefined && <p role="alert">{refusal}</p>}
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault();
            void create(event.currentTarget);
          }}
        >
          <label>
            {STRINGS.name} <input name="name" required autocomplete="off" spellcheck={false} />
          </label>
          <label>
            Kind{" "}
            <select name="kind">
              {KINDS.map(([kind, text]) => (
                <option key={kind} value={kind}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          <label>
            URI{" "}
            <input
              name="uri"
              required
              autocomplete="off"
              spellcheck={false}
              placeholder="https://catalog.example.com/iceberg"
            />
          </label>
          <label>
            Warehouse <input name="warehouse" autocomplete="off" spellcheck={false} />
          </label>
          <button type="submit">{STRINGS.createConnector}</button>
        </form>
      </details>
    </section>
  );
}

interface Progress {
  readonly isPreview: boolean;
  readonly isDone: boolean;
  readonly tables: readonly ImportedTable[];
}

function credentialsIn(data: FormData): { readonly credentials?: SourceCredentials } {
  const given = ["token", "clientId", "clientSecret"].flatMap((name) => {
    const text = String(data.get(name) ?? "");
    return text === "" ? [] : [[name, text] as const];
  });
  return given.length === 0 ? {} : { credentials: Object.fromEntries(given) };
}

/** The second step: what it asks for, what is taken, and what became of each table. */
function Transfer(props: { readonly connector: string; readonly catalogs: readonly Summary[] }) {
  const { connector, catalogs } = props;
  const form = useRef<HTMLFormElement>(null);
  const { refusal, run } = useRun();
  const [namespaces, setNamespaces] = useState<number>();
  const [progress, setProgress] = useState<Progress>();
  const isRunning = progress !== undefined && !progress.isDone;
  const given = () => new FormData(form.current ?? undefined);
  const check = () =>
    run(async () => {
      setNamespaces(undefined);
      const body = credentialsIn(given());
      setNamespaces(
        (await client.call("checkConnector", { path: { connector }, body })).namespaces,
      );
    });
  const transfer = async (isPreview: boolean) => {
    const data = given();
    const text = String(data.get("namespaces") ?? "").trim();
    const body = {
      into: String(data.get("into")),
      preview: isPreview,
      replace: data.get("replace") !== null,
      ...(text !== "" && { namespaces: text.split(/[\s,]+/).map((name) => name.split(".")) }),
      ...credentialsIn(data),
    };
    const tables: ImportedTable[] = [];
    setProgress({ isPreview, isDone: false, tables: [] });
    await run(async () => {
      for (let pageToken: string | undefined; ; ) {
        const query = pageToken === undefined ? {} : { pageToken };
        const page = await client.call("importTables", { path: { connector }, query, body });
        tables.push(...page.items);
        setProgress({ isPreview, isDone: false, tables: [...tables] });
        pageToken = page.nextPageToken;
        if (pageToken === undefined) return;
      }
    });
    setProgress({ isPreview, isDone: true, tables: [...tables] });
  };
  return (
    <>
      <form ref={form} class="panel" onSubmit={(event) => event.preventDefault()}>
        <h2>{connector}</h2>
        <div class="fields">
          <Fields catalogs={catalogs} />
        </div>
        <p class="actions">
          <button type="button" onClick={() => void check()}>
            {STRINGS.check}
          </button>
          <button type="button" disabled={isRunning} onClick={() => void transfer(true)}>
            {STRINGS.preview}
          </button>
          <button
            type="button"
            class="primary"
            disabled={isRunning}
            onClick={() => void transfer(false)}
          >
            {STRINGS.import}
          </button>
          {namespaces !== undefined && (
            <span role="status">It answers: {countText(namespaces)} namespaces.</span>
          )}
        </p>
        {refusal !== undefined && <p role="alert">{refusal}</p>}
      </form>
      {progress !== undefined && <Outcome progress={progress} />}
    </>
  );
}

function Fields({ catalogs }: { readonly catalogs: readonly Summary[] }) {
  return (
    <>
      <label>
        {STRINGS.into}{" "}
        <select name="into">
          {catalogs.map(({ id, name }) => (
            <option key={id} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {STRINGS.onlyNamespaces}{" "}
        <input name="namespaces" autocomplete="off" spellcheck={false} placeholder="all" />
      </label>
      <label>
        {STRINGS.token} <input name="token" type="password" autocomplete="off" />
      </label>
      <label>
        {STRINGS.clientId} <input name="clientId" autocomplete="off" spellcheck={false} />
      </label>
      <label>
        {STRINGS.clientSecret} <input name="clientSecret" type="password" autocomplete="off" />
      </label>
      <label>
        <input name="replace" type="checkbox" /> {STRINGS.replaceTables}
      </label>
    </>
  );
}

function Outcome({ progress: { isPreview, isDone, tables } }: { readonly progress: Progress }) {
  const counts = new Map<string, number>();
  for (const { outcome } of tables) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const told = [...counts].map(([outcome, count]) => `${countText(count)} ${outcome}`).join(", ");
  const state = isDone ? (isPreview ? STRINGS.wouldBe : STRINGS.imported) : STRINGS.importing;
  return (
    <section>
      <h2>{isPreview ? STRINGS.preview : STRINGS.result}</h2>
      <p role="status">
        {state} {countText(tables.length)} tables{told === "" ? "." : `: ${told}.`}
      </p>
      <Grid
        label={STRINGS.result}
        items={tables}
        keyOf={({ namespace, name }) => JSON.stringify([namespace, name])}
        columns={[
          {
            name: "Table",
            of: ({ namespace, name }) => [...namespace, name].join("."),
            sort: (a, b) => (a.name < b.name ? -1 : 1),
          },
          {
            name: "Outcome",
            of: ({ outcome }) => <span class={`state ${outcome}`}>{outcome}</span>,
            sort: (a, b) => (a.outcome < b.outcome ? -1 : 1),
          },
          {
            name: "Why",
            of: ({ code, message = "" }) => <span title={message}>{code}</span>,
            isExtra: true,
          },
        ]}
      />
    </section>
  );
}
