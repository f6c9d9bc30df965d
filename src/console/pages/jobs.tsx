import type { Job } from "../../api/resources.ts";
import { client, useLoaded } from "../data.ts";
import { countText, shortId } from "../format.ts";
import { Ago } from "../parts/ago.tsx";
import { Id } from "../parts/copy.tsx";
import { Grid } from "../parts/grid.tsx";
import { Heading } from "../parts/heading.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { useEvery } from "../parts/use-every.ts";
import { usePages } from "../parts/use-pages.ts";
import { useRun } from "../parts/use-run.ts";
import { STRINGS } from "../strings.ts";

/** Between two looks at jobs that run. */
const EVERY_MS = 2_000;

/** Background jobs: what waits, runs, has failed or is over. */
export function JobsPage() {
  const page = (pageToken?: string) =>
    client.call("listJobs", { query: pageToken === undefined ? {} : { pageToken } });
  const { data, error, reload } = useLoaded("jobs", () => page());
  const more = usePages(data?.nextPageToken, page);
  const { refusal, run } = useRun();
  const isBusy = data?.items.some(({ state }) => state === "running" || state === "due") ?? false;
  useEvery(EVERY_MS, isBusy, reload);
  const act = async (operation: "retryJob" | "cancelJob", job: string) => {
    await run(() => client.call(operation, { path: { job }, body: {} }));
    await reload();
  };
  return (
    <>
      <Heading name={STRINGS.jobs} />
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      <Shown data={data} error={error}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={STRINGS.noJobs} />
          ) : (
            <Jobs items={[...items, ...more.items]} onAct={act} onEnd={more.next} />
          )
        }
      </Shown>
    </>
  );
}

interface JobsProps {
  readonly items: readonly Job[];
  readonly onAct: (operation: "retryJob" | "cancelJob", id: string) => Promise<void>;
  readonly onEnd: (() => void) | undefined;
}

function Jobs({ items, onAct, onEnd }: JobsProps) {
  return (
    <Grid
      label={STRINGS.jobs}
      items={items}
      keyOf={({ id }) => id}
      onEnd={onEnd}
      columns={[
        { name: "Kind", of: ({ kind }) => kind },
        {
          name: "Of",
          of: ({ target }) => (
            <span class="marked">
              {target.type} <Id id={target.id} text={shortId(target.id)} />
            </span>
          ),
          isExtra: true,
        },
        {
          name: "State",
          of: ({ state, cancelled }) => (
            <span class={`state ${state}`}>
              {cancelled === true ? (state === "over" ? "cancelled" : "is being cancelled") : state}
            </span>
          ),
        },
        { name: "Progress", of: ({ progress }) => <Progress progress={progress} />, isExtra: true },
        { name: "Due or ended", of: ({ due, ended }) => <Ago time={ended ?? due} /> },
        {
          name: "Error",
          of: ({ error }) => error && <span title={error.message}>{error.code}</span>,
          isExtra: true,
        },
        { name: "Action", of: (job) => <Action job={job} onAct={onAct} />, isNameless: true },
      ]}
    />
  );
}

function Progress({ progress }: { readonly progress: Job["progress"] | undefined }) {
  if (progress === undefined) return null;
  const { done, total, unit } = progress;
  const text = `${countText(done)}${total === undefined ? "" : ` of ${countText(total)}`} ${unit}`;
  return (
    <span class="marked">
      {total !== undefined && total > 0 && <progress value={done} max={total} aria-label={unit} />}
      {text}
    </span>
  );
}

/** A purge is called off by bringing back what was dropped, not here. */
const CANCELLABLE: ReadonlySet<string> = new Set(["import", "delete"]);

function Action({ job, onAct }: { readonly job: Job } & Pick<JobsProps, "onAct">) {
  const { id, kind, state, cancelled } = job;
  if (state === "failed") {
    return (
      <button type="button" onClick={() => void onAct("retryJob", id)}>
        {STRINGS.retry}
      </button>
    );
  }
  if (!CANCELLABLE.has(kind) || state === "over" || cancelled === true) return null;
  return (
    <button type="button" class="danger" onClick={() => void onAct("cancelJob", id)}>
      {STRINGS.cancel}
    </button>
  );
}
