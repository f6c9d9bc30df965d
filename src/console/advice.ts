import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { AdvicePage, AdvisedTable } from "../api/page-operations.ts";
import { client } from "./data.ts";
import { who } from "./session.ts";

/** Tables that are looked at without being asked to: each costs the server a read. */
const UNASKED = 2_000;
const KEPT = 500;
const PAUSE_MS = 150;
const HIDDEN_PAUSE_MS = 2_000;
/** What was found is shown again for so long without another look. */
const FRESH_MS = 300_000;

/** How far a look at all tables of the account has come. */
export interface Advice {
  /** The first of those that want care. */
  readonly items: readonly AdvisedTable[];
  readonly found: number;
  readonly looked: number;
  /** Absent: not counted yet. */
  readonly tables: number | undefined;
  readonly isPartial: boolean;
  /** Absent: all were looked at. */
  readonly next: string | undefined;
  readonly isGoing: boolean;
}

const newest: Signal<Advice | undefined> = signal(undefined);
let begunMs = 0;
let most = UNASKED;
let isShown = false;
// They belong to the principal that was signed in then.
who.subscribe(() => {
  newest.value = undefined;
});

function joined(was: Advice | undefined, page: AdvicePage): Advice {
  return {
    items: [...(was?.items ?? []), ...page.items].slice(0, KEPT),
    found: (was?.found ?? 0) + page.items.length,
    looked: (was?.looked ?? 0) + page.looked,
    tables: page.tables ?? was?.tables,
    isPartial: page.isPartial ?? was?.isPartial ?? false,
    next: page.nextPageToken,
    isGoing: was?.isGoing ?? false,
  };
}

/** Looks on, a page at a time, while what is found is in sight. */
async function lookOn(): Promise<void> {
  for (;;) {
    const was = newest.value;
    if (was === undefined || was.isGoing || was.next === undefined) return;
    if (!isShown || was.looked >= most) return;
    const going = { ...was, isGoing: true };
    newest.value = going;
    await new Promise((resolve) =>
      setTimeout(resolve, document.hidden ? HIDDEN_PAUSE_MS : PAUSE_MS),
    );
    if (document.hidden) {
      if (newest.value === going) newest.value = was;
      continue;
    }
    const count = was.tables === undefined;
    try {
      const page = await client.call("listAdvice", { query: { pageToken: was.next, count } });
      if (newest.value !== going) return;
      newest.value = { ...joined(was, page), isGoing: false };
    } catch {
      // It goes on when it is asked to, and begins anew when the page is opened again.
      most = 0;
      begunMs = 0;
      if (newest.value === going) newest.value = was;
      return;
    }
  }
}

/** Looks at all tables, however many there are. */
export function lookAtAll(): void {
  most = Number.POSITIVE_INFINITY;
  void lookOn();
}

/** What is known of the account's tables behind a first page: more while it is shown. */
export function useAdvice(first: AdvicePage): Advice {
  useEffect(() => {
    if (newest.value === undefined || Date.now() - begunMs > FRESH_MS) {
      newest.value = joined(undefined, first);
      begunMs = Date.now();
      most = UNASKED;
    }
    isShown = true;
    void lookOn();
    return () => {
      isShown = false;
    };
  }, [first]);
  return newest.value ?? joined(undefined, first);
}
