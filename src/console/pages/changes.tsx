import { useEffect, useRef, useState } from "preact/hooks";
import type { Change, FoundThing, Thing } from "../../api/resources.ts";
import { ApiError } from "../../client/client.ts";
import { client } from "../data.ts";
import { Heading } from "../parts/heading.tsx";
import { Empty, Refused } from "../parts/states.tsx";
import { STRINGS } from "../strings.ts";
import { ChangeLines } from "./change-lines.tsx";

const KEPT = 500;
/** How far back the feed begins: each minute costs a read of it. */
const SINCE_MS = 1_800_000;
/** Names asked for at once: as many as one request takes. */
const NAMES = 100;
/** Many changes come at once: each is not drawn by itself. */
const DRAWN_EVERY_MS = 100;
/** Between two requests for names. */
const NAMES_EVERY_MS = 500;
/** A feed does not go on from where it ended. */
const GONE = 410;
const NAMED: ReadonlySet<string> = new Set(["catalog", "namespace", "table", "view"]);

/** Within a minute the feed tells changes shard by shard. */
function newestFirst(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => (a.time < b.time ? 1 : -1));
}

/** What has a name that was not asked for yet, newest first. */
function unnamed(changes: readonly Change[], asked: ReadonlySet<string>): readonly Thing[] {
  const things = new Map<string, Thing>();
  for (const { entities } of changes) {
    const [first] = entities;
    if (first === undefined || first.deleted || !NAMED.has(first.type)) continue;
    if (!asked.has(first.id))
      things.set(first.id, { type: first.type as Thing["type"], id: first.id });
    if (things.size === NAMES) break;
  }
  return [...things.values()];
}

/** Names of what changes are of, asked for a hundred at a time. */
function useNames(changes: readonly Change[]): readonly FoundThing[] {
  const [names, setNames] = useState<readonly FoundThing[]>([]);
  const asked = useRef(new Set<string>());
  useEffect(() => {
    const timer = setTimeout(() => {
      const things = unnamed(changes, asked.current);
      if (things.length === 0) return;
      for (const { id } of things) asked.current.add(id);
      client
        .call("findNames", { body: { things } })
        .then(({ items }) => setNames((was) => [...items, ...was].slice(0, KEPT)))
        .catch(() => undefined);
    }, NAMES_EVERY_MS);
    return () => clearTimeout(timer);
  }, [changes, names]);
  return names;
}

/** The change feed as it happens. */
export function ChangesPage() {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const [refusal, setRefusal] = useState<ApiError>();
  const names = useNames(changes);
  useEffect(() => {
    const ended = new AbortController();
    let arrived: Change[] = [];
    const draw = () => {
      const some = arrived;
      arrived = [];
      if (some.length > 0) setChanges((was) => newestFirst([...some, ...was]).slice(0, KEPT));
    };
    const timer = setInterval(draw, DRAWN_EVERY_MS);
    const follow = async (): Promise<void> => {
      const since = new Date(Date.now() - SINCE_MS).toISOString();
      for await (const { change } of client.watch({ since, signal: ended.signal })) {
        arrived.push(change);
      }
    };
    const begin = async (): Promise<void> => {
      try {
        await follow();
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        if (error.problem.status !== GONE) {
          setRefusal(error);
          return;
        }
        // After a long sleep: what happened meanwhile is too old to be told.
        setChanges([]);
        await begin();
      }
    };
    void begin();
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, []);
  return (
    <>
      <Heading name={STRINGS.changes} badges={[STRINGS.live]} />
      {refusal !== undefined && <Refused error={refusal} />}
      {changes.length > 0 ? (
        <ChangeLines changes={changes} names={names} />
      ) : (
        refusal === undefined && <Empty text={STRINGS.noChanges} />
      )}
    </>
  );
}
