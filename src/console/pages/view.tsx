import type { PageViewVersion, ViewPage } from "../../api/page-operations.ts";
import { ApiError, namespaceName } from "../../client/client.ts";
import { commitProperties } from "../commit-properties.ts";
import { client, now, useLoaded } from "../data.ts";
import { agoText, countText } from "../format.ts";
import { useLook } from "../navigation.ts";
import { Ago, Changed } from "../parts/ago.tsx";
import { Code, Id } from "../parts/copy.tsx";
import { Facts } from "../parts/facts.tsx";
import { Heading } from "../parts/heading.tsx";
import { later } from "../parts/later.tsx";
import { PropertyList } from "../parts/properties.tsx";
import { Shown } from "../parts/states.tsx";
import type { Path } from "../route.ts";
import { STRINGS } from "../strings.ts";

const SqlView = later(async () => (await import("./sql-view.tsx")).SqlView);

interface Place {
  readonly catalog: string;
  readonly namespace: Path;
  readonly name: string;
}

/** One view. */
export function ViewView(place: Place) {
  const { catalog, namespace, name } = place;
  const path = { catalog, namespace: namespaceName(namespace), view: name };
  const { data, error, reload } = useLoaded(`view ${JSON.stringify(path)}`, () =>
    client.call("getViewPage", { path }),
  );
  // The catalog does not know views of SQL: their shard does.
  const isOfSql = error instanceof ApiError && error.problem.code === "VIEW_NOT_FOUND";
  return (
    <>
      <Heading icon="view" name={name} badges={["view"]} />
      {isOfSql ? (
        <SqlView {...place} refusal={error} />
      ) : (
        <Shown data={data} error={error}>
          {(page) => <IcebergView page={page} onDone={reload} />}
        </Shown>
      )}
    </>
  );
}

interface IcebergViewProps {
  readonly page: ViewPage;
  readonly onDone: () => Promise<void>;
}

function IcebergView({ page, onDone }: IcebergViewProps) {
  const { view, properties, versions, versionCount, currentVersionId } = page;
  const [chosen, setChosen] = useLook("version");
  const wanted = chosen || String(currentVersionId);
  const shown = versions.find(({ versionId }) => String(versionId) === wanted) ?? versions[0];
  return (
    <>
      <Facts
        facts={[
          ["Location", <Id key="location" id={view.location} />, "wide"],
          ["Changed", <Changed key="changed" time={view.updatedAt} by={view.updatedBy} />],
          ["Id", <Id key="id" id={view.id} />],
        ]}
      />
      <div class="above">
        <h2>{STRINGS.query}</h2>
        <label>
          {STRINGS.version}{" "}
          <select
            value={String(shown?.versionId)}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {versions.map(({ versionId, at }) => (
              <option key={versionId} value={String(versionId)}>
                {versionId}, {agoText(at, now.value)}
                {versionId === currentVersionId ? `, ${STRINGS.current}` : ""}
              </option>
            ))}
          </select>
        </label>
        <span class="dim" role="status">
          {versions.length < versionCount
            ? `${countText(versions.length)} of ${countText(versionCount)} versions`
            : ""}
        </span>
      </div>
      {shown !== undefined && <Version {...shown} />}
      <PropertyList
        properties={properties}
        onSave={async (change) => {
          await commitProperties(view, change);
          await onDone();
        }}
      />
    </>
  );
}

function Version({ defaultCatalog, defaultNamespace, ...version }: PageViewVersion) {
  const { at, summary, schema, texts } = version;
  const within = [...(defaultCatalog === undefined ? [] : [defaultCatalog]), ...defaultNamespace];
  return (
    <>
      {texts.length === 0 && <p class="dim">{STRINGS.noQuery}</p>}
      {texts.map(({ dialect, sql, isCut }) => (
        <section key={dialect} aria-label={dialect}>
          <h3>
            <span class="badge">{dialect}</span>
          </h3>
          <Code text={sql} />
          {isCut === true && <p class="dim">{STRINGS.queryCut}</p>}
        </section>
      ))}
      <Facts
        facts={[
          ["Written", <Ago key="at" time={at} />],
          ["Names resolve in", within.length === 0 ? "—" : within.join(".")],
          ...Object.entries(summary).map(([name, value]) => [name, value] as const),
        ]}
      />
      <table class="small">
        <thead>
          <tr>
            <th scope="col">{STRINGS.column}</th>
            <th scope="col">{STRINGS.type}</th>
          </tr>
        </thead>
        <tbody>
          {schema.fields.map(({ id, name, type }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>
                <code>{type}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
