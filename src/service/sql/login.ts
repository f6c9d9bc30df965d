/** Who connects, and to which catalog. */
export interface SqlLogin {
  readonly user: string;
  /** The name of a catalog. */
  readonly database: string;
  /** What the client sets at once. */
  readonly settings: ReadonlyMap<string, string>;
}
