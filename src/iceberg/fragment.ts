import { utf8, utf8Text } from "../base/bytes.ts";
import { type JsonBounds, type JsonObject, jsonSteps, parseJson, printJson } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { Steps } from "../base/steps.ts";

/**
 * One part of a metadata file, such as a snapshot, printed at most once in its life. Metadata made
 * from older metadata shares its fragments, so that a commit prints what it changed and joins the
 * rest. Holds either the tree or its text, never both.
 */
export class Fragment {
  #object: JsonObject | undefined;
  #text: string | undefined;

  constructor(object: JsonObject) {
    this.#object = object;
  }

  /** A part that was printed before, as `text` gave it. */
  static ofText(text: string): Fragment {
    const fragment = new Fragment(NONE);
    fragment.#object = undefined;
    fragment.#text = text;
    return fragment;
  }

  /** Compact JSON text. */
  get text(): string {
    if (this.#text === undefined) {
      // Printing leaves a tree of pieces, which every join would walk anew: 10 times as slow.
      this.#text = utf8Text(utf8(printJson(this.#object ?? {})));
      this.#object = undefined;
    }
    return this.#text;
  }

  /** As `text`, of what may be large. */
  *textSteps(): Steps<string> {
    if (this.#text === undefined) {
      const printed = yield* jsonSteps(this.#object ?? {});
      this.#text = utf8Text(utf8(printed));
      this.#object = undefined;
    }
    return this.#text;
  }

  /** Whether its text is there already. */
  get isPrinted(): boolean {
    return this.#text !== undefined;
  }

  /** The members, parsed anew where only the text is left. */
  get object(): JsonObject {
    return this.#object ?? (parseJson(this.#text ?? "{}", FRAGMENT_BOUNDS) as JsonObject);
  }
}

const NONE: JsonObject = {};

/** A fragment is part of a text that was within these bounds. */
export const FRAGMENT_BOUNDS: JsonBounds = {
  depth: LIMITS.jsonDepth,
  nodes: LIMITS.metadataFileNodes,
};
