import { client, useLoaded } from "../data.ts";
import { Ago } from "../parts/ago.tsx";
import { Grid } from "../parts/grid.tsx";
import { Heading } from "../parts/heading.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { useRun } from "../parts/use-run.ts";
import { STRINGS } from "../strings.ts";

/** What was dropped and can come back, soonest gone first. */
export function DroppedPage() {
  const { data, error, reload } = useLoaded("dropped", () => client.call("listDropped", {}));
  const { refusal, run } = useRun();
  const undrop = async (id: string) => {
    await run(() => client.call("undrop", { path: { id }, body: {} }));
    await reload();
  };
  return (
    <>
      <Heading name={STRINGS.dropped} />
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      <Shown data={data} error={error}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={STRINGS.noDropped} />
          ) : (
            <Grid
              label={STRINGS.dropped}
              items={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: "Name",
                  of: ({ catalog = "", namespace = [], name }) =>
                    [catalog, ...namespace, name].join("."),
                },
                { name: "Kind", of: ({ type }) => type, isExtra: true },
                { name: "Purged", of: ({ purgeAfter }) => <Ago time={purgeAfter} /> },
                {
                  name: "Files",
                  of: ({ purgeRequested }) => (purgeRequested ? "deleted too" : "kept"),
                  isExtra: true,
                },
                {
                  name: "Action",
                  isNameless: true,
                  of: ({ id }) => (
                    <button type="button" onClick={() => void undrop(id)}>
                      {STRINGS.undrop}
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </Shown>
    </>
  );
}
