/** What is asked of a store. */
export type StoreAsked =
  | "conditionalWrites"
  | "signatures"
  | "unsignedHeaders"
  | "signedBodies"
  | "literalDots"
  | "literalSlashes"
  | "pathStyle"
  | "sessionPolicies";

/** Whether the store does it; undefined: it was not tried. */
export interface StoreFinding {
  readonly asked: StoreAsked;
  readonly holds: boolean | undefined;
  readonly detail: string;
}

export interface StoreReport {
  /** `s3://bucket/prefix` */
  readonly location: string;
  readonly region: string;
  /** What URLs of objects begin with. */
  readonly base: string;
  readonly findings: readonly StoreFinding[];
  readonly readSigning: "safe" | "unsafe";
  readonly writeSigning: "safe" | "unsafe";
  /** What makes the store unsafe for what it is checked for; none: it is safe. */
  readonly problems: readonly string[];
}
