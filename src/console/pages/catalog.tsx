import type { Summary } from "../../api/resources.ts";
import { client, useLoaded } from "../data.ts";
import { Changed } from "../parts/ago.tsx";
import { Id } from "../parts/copy.tsx";
import { Facts } from "../parts/facts.tsx";
import { Heading } from "../parts/heading.tsx";
import { NamedGrid } from "../parts/named-grid.tsx";
import { PropertyList } from "../parts/properties.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { usePages } from "../parts/use-pages.ts";
import { STRINGS } from "../strings.ts";

function firstNamespace(catalog: string): string {
  return `firn namespace create ${catalog}.glacier`;
}

/** One catalog: its namespaces of the top level, and what is set for it. */
export function CatalogView({ catalog: name }: { readonly catalog: string }) {
  const { data, error, reload } = useLoaded(`catalog ${name}`, () =>
    client.call("getCatalogPage", { path: { catalog: name } }),
  );
  const more = usePages(data?.nextPageToken, async (pageToken) => {
    const page = await client.call("listNamespaces", {
      path: { catalog: name },
      query: { pageToken },
    });
    return page;
  });
  return (
    <>
      <Heading icon="catalog" name={name} badges={["catalog"]} />
      <Shown data={data} error={error}>
        {({ catalog, namespaces }) => (
          <>
            <Facts
              facts={[
                ["Location", <Id key="location" id={catalog.defaultLocation} />, "wide"],
                [
                  "Changed",
                  <Changed key="changed" time={catalog.updatedAt} by={catalog.updatedBy} />,
                ],
                ["Id", <Id key="id" id={catalog.id} />],
              ]}
            />
            <h2>{STRINGS.namespaces}</h2>
            {namespaces.length === 0 ? (
              <Empty text={STRINGS.noNamespaces} code={firstNamespace(name)} />
            ) : (
              <Namespaces catalog={name} items={[...namespaces, ...more.items]} onEnd={more.next} />
            )}
            <PropertyList
              properties={catalog.properties}
              onSave={async (properties) => {
                const options = { ifMatch: catalog.etag };
                const request = { path: { catalog: name }, body: { properties } };
                await client.call("updateCatalog", request, options);
                await reload();
              }}
            />
          </>
        )}
      </Shown>
    </>
  );
}

interface NamespacesProps {
  readonly catalog: string;
  readonly items: readonly Summary[];
  readonly onEnd?: (() => void) | undefined;
}

export function Namespaces({ catalog, items, onEnd }: NamespacesProps) {
  const routeTo = ({ path, name }: Summary) =>
    ({ view: "namespace", catalog, namespace: path ?? [name] }) as const;
  return (
    <NamedGrid
      label={STRINGS.namespaces}
      icon="namespace"
      items={items}
      routeTo={routeTo}
      onEnd={onEnd}
      columns={[
        { name: "Protected", of: (item) => (item.protected ? "yes" : ""), isExtra: true },
        { name: "Id", of: ({ id }) => <Id id={id} />, isExtra: true },
      ]}
    />
  );
}
