import { namespaceName } from "../../client/client.ts";
import { client, now, useLoaded } from "../data.ts";
import { agoText } from "../format.ts";
import { Id } from "../parts/copy.tsx";
import { Facts } from "../parts/facts.tsx";
import { Heading } from "../parts/heading.tsx";
import { PropertyList } from "../parts/properties.tsx";
import { Shown } from "../parts/states.tsx";
import type { Path } from "../route.ts";

interface Place {
  readonly catalog: string;
  readonly namespace: Path;
  readonly name: string;
}

/** One view. */
export function ViewView({ catalog, namespace, name }: Place) {
  const path = { catalog, namespace: namespaceName(namespace), view: name };
  const { data, error } = useLoaded(`view ${JSON.stringify(path)}`, () =>
    client.call("getView", { path }),
  );
  return (
    <>
      <Heading icon="view" name={name} />
      <Shown data={data} error={error}>
        {(view) => (
          <>
            <Facts
              facts={[
                ["Kind", "view"],
                ["Location", <Id key="location" id={view.location} />],
                ["Changed", `${agoText(view.updatedAt, now.value)} by ${view.updatedBy}`],
                ["Id", <Id key="id" id={view.id} />],
              ]}
            />
            <PropertyList properties={view.properties} />
          </>
        )}
      </Shown>
    </>
  );
}
