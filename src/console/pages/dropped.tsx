import { client, now, useLoaded } from "../data.ts";
import { agoText } from "../format.ts";
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
                { name: "Goes", of: ({ purgeAfter }) => agoText(purgeAfter, now.value) },
                {
                  name: "Files",
                  of: ({ purgeRequested }) => (purgeRequested ? "go too" : "stay"),
                  isExtra: true,
                },
                {
                  name: "Action",
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
