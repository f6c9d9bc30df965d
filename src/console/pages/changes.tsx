import { useEffect, useState } from "preact/hooks";
import type { Change } from "../../api/resources.ts";
import { client, now } from "../data.ts";
import { agoText, shortId } from "../format.ts";
import { Grid } from "../parts/grid.tsx";
import { Empty } from "../parts/states.tsx";
import { STRINGS } from "../strings.ts";

const KEPT = 500;
/** How far back the feed begins: each minute costs a read of it. */
const SINCE_MS = 1_800_000;

/** Changes, newest first. */
export function ChangeLines({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <Grid
      label={STRINGS.changes}
      items={changes}
      keyOf={({ id }) => id}
      columns={[
        { name: "When", of: ({ time }) => <time dateTime={time}>{agoText(time, now.value)}</time> },
        { name: "What", of: ({ operation }) => operation },
        {
          name: "Of",
          of: ({ entities }) => {
            const [first, ...more] = entities;
            if (first === undefined) return "—";
            const others = more.length === 0 ? "" : ` and ${more.length} more`;
            return (
              <span title={first.id}>
                {first.type} <code>{shortId(first.id)}</code>
                {others}
              </span>
            );
          },
        },
        { name: "Who", of: ({ principal }) => principal, isExtra: true },
        { name: "Request", of: ({ requestId }) => <code>{requestId}</code>, isExtra: true },
      ]}
    />
  );
}

/** Within a minute the feed tells changes shard by shard. */
function newestFirst(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => (a.time < b.time ? 1 : -1));
}

/** The change feed as it happens. */
export function ChangesPage() {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    const since = new Date(Date.now() - SINCE_MS).toISOString();
    const follow = async () => {
      for await (const { change } of client.watch({ since, signal: ended.signal })) {
        setChanges((was) => newestFirst([change, ...was]).slice(0, KEPT));
      }
    };
    void follow().catch(() => undefined);
    return () => ended.abort();
  }, []);
  return (
    <>
      <h1 tabIndex={-1}>{STRINGS.changes}</h1>
      {changes.length === 0 ? (
        <Empty text={STRINGS.noChanges} />
      ) : (
        <ChangeLines changes={changes} />
      )}
    </>
  );
}
