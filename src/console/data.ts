import { type Signal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { ApiError, FirnClient } from "../client/client.ts";
import { send, who } from "./session.ts";

export const client: FirnClient = new FirnClient({ url: location.origin, fetch: send });

/** The server has not answered the newest request. */
export const isGone: Signal<boolean> = signal(false);

/** The wall time, once in ten seconds: ages on the page follow it. */
export const now: Signal<number> = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 10_000);

/** What a view shows: the last answer stays while a newer one is asked for. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
}

interface Resource<T> {
  readonly state: Signal<Loaded<T>>;
  readonly reload: () => Promise<void>;
}

const RETRY_MS = 3_000;
const KEPT = 30;
/** Answers of views that were left a moment ago, so that going back is instant. */
const kept = new Map<string, Resource<unknown>>();
/** They belong to the principal that was signed in then. */
who.subscribe(() => kept.clear());

function resource<T>(key: string, load: () => Promise<T>): Resource<T> {
  const known = kept.get(key) as Resource<T> | undefined;
  if (known !== undefined) return known;
  const state = signal<Loaded<T>>({ data: undefined, error: undefined, isLoading: true });
  let turn = 0;
  const reload = async (): Promise<void> => {
    const own = ++turn;
    state.value = { ...state.value, isLoading: true };
    try {
      const data = await load();
      if (own !== turn) return;
      isGone.value = false;
      state.value = { data, error: undefined, isLoading: false };
    } catch (error) {
      if (own !== turn) return;
      if (error instanceof ApiError) {
        isGone.value = false;
        state.value = { ...state.value, error, isLoading: false };
        return;
      }
      isGone.value = true;
      state.value = { ...state.value, isLoading: false };
      setTimeout(() => {
        if (own === turn) void reload();
      }, RETRY_MS);
    }
  };
  const made: Resource<T> = { state, reload };
  kept.set(key, made);
  for (const [oldest] of kept) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return made;
}

/** Asks for what a view shows, once for each `key`; again when it is shown again. */
export function useLoaded<T>(
  key: string,
  load: () => Promise<T>,
): Loaded<T> & Pick<Resource<T>, "reload"> {
  // Not in an effect: those run behind the first frame, and the request would wait for it.
  const found = useMemo(() => {
    const made = resource(key, load);
    void made.reload();
    return made;
  }, [key]);
  return { ...found.state.value, reload: found.reload };
}
