/**
 * One kind of key. `pattern` is the key's path with `{name}` for a variable segment, `{name...}`
 * for one or more trailing segments. What else the catalog knows of it `docs/keys.md` prints.
 */
export interface KeyFamily {
  readonly name: string;
  readonly pattern: string;
  /** Listed: stored under its directory, so that one query answers a page. */
  readonly listed: boolean;
  /** What a summary may hold; absent: `LIMITS.summaryBytes`. */
  readonly summaryBytes?: number;
  /**
   * How long after its put a caller may ask for it. A store that expires by itself may forget it
   * then; absent: never. Longer than a copy of that put may be under way: what is forgotten begins
   * anew.
   */
  readonly lifeMs?: number;
}
