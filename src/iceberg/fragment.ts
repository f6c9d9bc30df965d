import { utf8, utf8Text } from "../base/bytes.ts";
import {
  isShortJson,
  type JsonBounds,
  type JsonObject,
  jsonSteps,
  parseJson,
  printJson,
  textPieces,
} from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { Steps } from "../base/steps.ts";
import { ICEBERG_LIMITS } from "./limits.ts";

/**
 * One part of a metadata file, such as a snapshot, printed at most once in its life. Metadata made
 * from older metadata shares its fragments, so that a commit prints what it changed and joins the
 * rest. Holds either the tree or its text, never both.
 */
export class Fragment {
  #object: JsonObject | undefined;
  /** A long one in pieces, which is how it is printed again. */
  #text: string | readonly string[] | undefined;

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
      this.#text = flat(printJson(this.#object ?? {}));
      this.#object = undefined;
    }
    return typeof this.#text === "string" ? this.#text : this.#text.join("");
  }

  /** As `text`, of what may be large: pieces that belong one behind the other. */
  *textSteps(): Steps<readonly string[]> {
    if (this.#text === undefined) {
      const printed = yield* jsonSteps(this.#object ?? {});
      this.#text = printed.length === 1 ? flat(printed[0] ?? "") : printed;
      this.#object = undefined;
    }
    return typeof this.#text === "string" ? textPieces(this.#text) : this.#text;
  }

  /** Its text, where that is short, or at least nothing of many values. */
  get shortText(): string | undefined {
    if (this.#text === undefined && !isShortJson(this.#object ?? NONE)) return undefined;
    const text = this.#text ?? this.text;
    return typeof text === "string" && text.length <= SHORT_CHARS ? text : undefined;
  }

  /** The members, parsed anew where only the text is left. */
  get object(): JsonObject {
    return this.#object ?? (parseJson(this.text, FRAGMENT_BOUNDS) as JsonObject);
  }
}

const NONE: JsonObject = {};

/** Longer texts are joined and encoded in steps. */
const SHORT_CHARS = 65_536;

/** Printing leaves a tree of pieces, which every join would walk anew: 10 times as slow. */
function flat(text: string): string {
  return utf8Text(utf8(text));
}

/** A fragment is part of a text that was within these bounds. */
export const FRAGMENT_BOUNDS: JsonBounds = {
  depth: LIMITS.jsonDepth,
  nodes: ICEBERG_LIMITS.metadataFileNodes,
};
