import type { Profile } from "../../src/runtime/settings.ts";
import type { Wrap } from "./node.ts";
import type { World } from "./world.ts";

export const ALL: readonly Profile[] = ["memory", "local", "bucket", "aws"];
/** Those whose pointers are rows of an engine with one owner. */
export const OWNED: readonly Profile[] = ["local", "bucket"];
/** Those behind a network. */
export const REMOTE: readonly Profile[] = ["bucket", "aws"];
/** Those that outlive their processes. */
export const DURABLE: readonly Profile[] = ["local", "bucket", "aws"];

/** Where an answer holds: for who speaks HTTP to a node, or at a port beneath. */
export const LEVELS = {
  catalog: "catalog, over HTTP",
  pointers: "`PointerStore`",
  blobs: "`BlobStore`",
  engine: "engine",
} as const;

export type Level = keyof typeof LEVELS;

/** A store that is broken on purpose: the claim's check must fail over it, or it checks nothing. */
export interface Broken {
  readonly what: string;
  readonly profile: Profile;
  readonly wrap: Wrap;
}

/** One answer, and the check that holds it against an opened profile. */
export interface Claim {
  readonly level: Level;
  readonly profiles: readonly Profile[];
  /** In a few words, where it is what the overview says of these profiles. */
  readonly short?: string;
  readonly answer: string;
  /** Ends or opens nodes, so it has a world to itself. */
  readonly apart?: boolean;
  readonly check: (world: World) => Promise<void>;
  readonly broken?: readonly Broken[];
}

export interface Question {
  readonly title: string;
  readonly asks: string;
  readonly claims: readonly Claim[];
}
