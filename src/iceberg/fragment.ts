import { utf8, utf8Text } from "../base/bytes.ts";
import { type JsonObject, parseJson, printJson } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";

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

  /** Compact JSON text. */
  get text(): string {
    if (this.#text === undefined) {
      // Printing leaves a tree of pieces, which every join would walk anew: 10 times as slow.
      this.#text = utf8Text(utf8(printJson(this.#object ?? {})));
      this.#object = undefined;
    }
    return this.#text;
  }

  /** The members, parsed anew where only the text is left. */
  get object(): JsonObject {
    return this.#object ?? (parseJson(this.#text ?? "{}", FRAGMENT_BOUNDS) as JsonObject);
  }
}

/** A fragment is part of a text that was within these bounds. */
const FRAGMENT_BOUNDS = { depth: LIMITS.jsonDepth, nodes: LIMITS.metadataFileNodes };
