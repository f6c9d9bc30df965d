import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../client/client.ts";

interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken?: string;
}

export interface Pages<T> {
  readonly items: readonly T[];
  /** Absent at the last page, or where the next one is refused. */
  readonly next: (() => void) | undefined;
  /** Why the next page is refused. */
  readonly error: ApiError | undefined;
}

/** What follows the first page of a list, and a call for the next one; one at a time. */
export function usePages<T>(
  first: string | undefined,
  load: (pageToken: string) => Promise<Page<T>>,
): Pages<T> {
  const [items, setItems] = useState<readonly T[]>([]);
  const [token, setToken] = useState(first);
  const [error, setError] = useState<ApiError>();
  // Not a state: listeners hold an old `next` until what came is drawn, and may call it till then.
  const asked = useRef<string | undefined>(undefined);
  useEffect(() => {
    asked.current = undefined;
    setItems([]);
    setToken(first);
    setError(undefined);
  }, [first]);
  const next = useCallback(() => {
    if (token === undefined || asked.current === token) return;
    asked.current = token;
    load(token)
      .then((page) => {
        if (asked.current !== token) return;
        setItems((was) => [...was, ...page.items]);
        setToken(page.nextPageToken);
      })
      .catch((refusal: unknown) => {
        if (asked.current !== token) return;
        // A server that does not answer is asked again when the end comes into sight anew.
        if (refusal instanceof ApiError) setError(refusal);
        else asked.current = undefined;
      });
  }, [token]);
  const isEnd = token === undefined || error !== undefined;
  return { items, next: isEnd ? undefined : next, error };
}
