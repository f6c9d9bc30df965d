import type { Job } from "../../api/resources.ts";
import { client, now, useLoaded } from "../data.ts";
import { agoText } from "../format.ts";
import { Grid } from "../parts/grid.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { STRINGS } from "../strings.ts";

/** Background jobs: what waits, runs or has failed. */
export function JobsPage() {
  const { data, error, reload } = useLoaded("jobs", () => client.call("listJobs", {}));
  const retry = async (job: string) => {
    await client.call("retryJob", { path: { job }, body: {} }).catch(() => undefined);
    await reload();
  };
  return (
    <>
      <h1 tabIndex={-1}>{STRINGS.jobs}</h1>
      <Shown data={data} error={error}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={STRINGS.noJobs} />
          ) : (
            <Jobs items={items} onRetry={(id) => void retry(id)} />
          )
        }
      </Shown>
    </>
  );
}

interface JobsProps {
  readonly items: readonly Job[];
  readonly onRetry: (id: string) => void;
}

function Jobs({ items, onRetry }: JobsProps) {
  return (
    <Grid
      label={STRINGS.jobs}
      items={items}
      keyOf={({ id }) => id}
      columns={[
        { name: "Kind", of: ({ kind }) => kind },
        { name: "Of", of: ({ target }) => `${target.type} ${target.id}`, isExtra: true },
        { name: "State", of: ({ state }) => <span class={`state ${state}`}>{state}</span> },
        { name: "Due", of: ({ due }) => agoText(due, now.value) },
        { name: "Error", of: ({ error }) => error?.code ?? "", isExtra: true },
        {
          name: "Action",
          of: ({ id, state }) =>
            state === "failed" && (
              <button type="button" onClick={() => onRetry(id)}>
                {STRINGS.retry}
              </button>
            ),
        },
      ]}
    />
  );
}
