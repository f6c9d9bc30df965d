import type { Moment } from "./fate.ts";

/** A step and the moments at which a process must have died there. */
export interface Step {
  readonly name: string;
  readonly moments: readonly Moment[];
}

const AROUND: readonly Moment[] = ["before", "after"];
const THROUGH: readonly Moment[] = ["before", "half", "after"];
/** A call that tells and changes nothing, on the spot. */
const AT: readonly Moment[] = ["after"];

/**
 * Everything that the owner of a shard asks of its disk, its store and its thread, in the phase in
 * which it does. A call that is not named here fails the run, as does a cell that nobody died in.
 *
 * Readers of states that stand around a change die as the change's own moments do; they are named
 * all the same, so that nothing is left out.
 */
const TABLE: Readonly<Record<string, Readonly<Record<string, readonly Moment[]>>>> = {
  "take-over": {
    "list manifest": AROUND,
    "read manifest": AROUND,
    "publish the owner": AROUND,
    "publish the owner, lost": AROUND,
    "list boundary": AROUND,
    "read boundary": AROUND,
    "make the directory": AROUND,
    "list segments": AROUND,
    "open a segment": AROUND,
    "read a segment": AROUND,
    "create a segment": AROUND,
    "sync the names": AROUND,
    "sync the tail": AROUND,
    "write a header": THROUGH,
    "find no successor": AT,
    "find the segment named": AT,
    "remove a spare's name": AROUND,
    "publish the log's mark": AROUND,
    "publish the end of the wait": AROUND,
    "release a segment": AROUND,
  },
  log: {
    "append a group": THROUGH,
    "publish the segment begun": AROUND,
    "find no successor": AT,
    "find a successor": AT,
    "find the segment named": AT,
    "write zeros": THROUGH,
    "create a segment": AROUND,
    "name a spare as a segment": AROUND,
    "remove a spare's name": AROUND,
    "write a header": THROUGH,
    "sync the names": AROUND,
    "release a segment into a spare": AROUND,
    "release a segment": AROUND,
  },
  serve: {
    "read table": AROUND,
    "read manifest": AROUND,
    "list boundary": AROUND,
    "read boundary": AROUND,
  },
  flush: {
    "write table": THROUGH,
    "write value": AROUND,
    "publish a flush": AROUND,
    "publish a flush, lost": AROUND,
    "read manifest": AROUND,
    "list boundary": AROUND,
    "read boundary": AROUND,
  },
  compact: {
    "publish the compactor": AROUND,
    "publish the compactor, lost": AROUND,
    "start a merge": AT,
    merge: THROUGH,
    "read table": AROUND,
    "write table": THROUGH,
    "publish a compaction": AROUND,
    "read manifest": AROUND,
    "list boundary": AROUND,
    "read boundary": AROUND,
  },
  ingest: {
    sort: THROUGH,
    "start a merge": AT,
    merge: THROUGH,
    "read table": AROUND,
    "write table": THROUGH,
    "delete table": THROUGH,
    "publish a flush": AROUND,
    "publish a flush, lost": AROUND,
    "publish an ingest": AROUND,
    "publish an ingest, lost": AROUND,
    "read manifest": AROUND,
    "list boundary": AROUND,
    "read boundary": AROUND,
  },
  collect: {
    "list table": AROUND,
    "list value": AROUND,
    "read manifest": AROUND,
    "list boundary": AROUND,
    "read boundary": AROUND,
    "list manifest": AROUND,
    "write boundary": AROUND,
    "delete boundary": THROUGH,
    "delete manifest": THROUGH,
    "delete table": THROUGH,
    "delete value": THROUGH,
    "read table": AROUND,
  },
  close: {
    "write table": THROUGH,
    "write value": AROUND,
    "name a spare as a segment": AROUND,
    "remove a spare's name": AROUND,
    "sync the names": AROUND,
    "publish a flush": AROUND,
    "publish a flush, lost": AROUND,
    "release a segment into a spare": AROUND,
    "publish the release": AROUND,
    "read manifest": AROUND,
    "list boundary": AROUND,
    "read boundary": AROUND,
  },
};

/**
 * Steps that some lives come to, and no run has to: those of a new directory, or of a late one, and
 * flushes of what was replayed, which end in whatever phase they come to.
 */
export const OTHERS: ReadonlySet<string> = new Set([
  "take-over: publish the log's mark, lost",
  "take-over: publish a state",
  "take-over: find the segment without a name",
  "take-over: find a successor",
  "take-over: write table",
  "take-over: publish the end of the wait, lost",
  "serve: write table",
  "take-over: write value",
  "serve: write value",
  "ingest: write value",
  "flush: read value",
  "serve: read value",
  "flush: read table",
  "serve: publish a flush",
  "serve: publish a flush, lost",
  "log: find the segment without a name",
  "take-over: publish the segment begun",
  "close: publish the segment begun",
  "close: create a segment",
  "close: release a segment",
]);

export const STEPS: readonly Step[] = Object.entries(TABLE).flatMap(([phase, steps]) =>
  Object.entries(steps).map(([what, moments]) => ({ name: `${phase}: ${what}`, moments })),
);

/** An owner that lives learns of its successor there; whoever dies before has none. */
export const FENCED_STEP = "log: find a successor";

/** What happens beside a living owner alone: nobody waits for the lease of one that is dead. */
export const BESIDE: ReadonlySet<string> = new Set([
  FENCED_STEP,
  "take-over: publish the end of the wait",
]);
