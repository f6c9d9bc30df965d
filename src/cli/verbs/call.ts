import type { Place } from "../place.ts";
import type { Screen } from "../screen.ts";
import type { Format } from "../show.ts";

/** What a verb is run with. */
export interface VerbCall {
  readonly words: readonly string[];
  /** Options of the line, by name in camel case. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly format: Format;
  readonly place: Place;
  readonly screen: Screen;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream;
}

/** @returns the exit code. */
export type Verb = (call: VerbCall) => Promise<number>;
