import { assert } from "../base/assert.ts";
import type { KeyFamily } from "./key.ts";

/** Patterns as a trie of segments. */
interface Node {
  readonly literals: Map<string, Node>;
  variable: Node | undefined;
  /** The family that ends here. */
  family: KeyFamily | undefined;
  /** The family whose `{name...}` begins here. */
  rest: KeyFamily | undefined;
}

/** A leaf that no literal segment equals: a key may not hold it. */
const ANY_LEAF = "\u0000";

/** Key families compiled once, to say of any key which one it belongs to. */
export class KeyFamilies {
  readonly #root: Node = emptyNode();

  constructor(families: readonly KeyFamily[]) {
    for (const family of families) this.#add(family);
  }

  /**
   * The family of a key: where several patterns fit, the one whose literals come first. Names that
   * users choose stand behind the literals of their family, so that none leads to another one.
   *
   * @throws FirnError `Internal`: keys are built by our own code, so a stray one is a defect.
   */
  of(key: string): KeyFamily {
    const family = this.#match(key);
    assert(family !== undefined, "a key belongs to a family");
    return family;
  }

  /** Whether a key, which another program may have built, belongs to a family. */
  has(key: string): boolean {
    return key.startsWith("/") && this.#match(key) !== undefined;
  }

  /**
   * Asserts that the leaves of a directory are kept in order.
   *
   * @throws FirnError `Internal`: no listed family has such a directory.
   */
  assertListed(directory: string): void {
    const family = this.#match(`${directory}/${ANY_LEAF}`);
    assert(family?.listed === true, "only a directory of a listed family is listed");
  }

  #match(key: string): KeyFamily | undefined {
    assert(key.startsWith("/"), "a key is absolute");
    return walk(this.#root, key.split("/"), 1);
  }

  #add(family: KeyFamily): void {
    assert(family.pattern.startsWith("/"), "a pattern is absolute");
    const segments = family.pattern.slice(1).split("/");
    let node = this.#root;
    for (const [index, segment] of segments.entries()) {
      assert(segment !== "", "a pattern has no empty segment");
      if (segment.endsWith("...}")) {
        assert(index === segments.length - 1, "only the last segment of a pattern repeats");
        assert(node.rest === undefined, "two families have one pattern");
        node.rest = family;
        return;
      }
      node = segment.startsWith("{") ? variableOf(node) : literalOf(node, segment);
    }
    assert(node.family === undefined, "two families have one pattern");
    node.family = family;
  }
}

function walk(node: Node, segments: readonly string[], index: number): KeyFamily | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.family;
  if (segment === "") return undefined;
  const literal = node.literals.get(segment);
  const { variable, rest } = node;
  return (
    (literal && walk(literal, segments, index + 1)) ??
    (variable && walk(variable, segments, index + 1)) ??
    (segments.indexOf("", index) < 0 ? rest : undefined)
  );
}

function emptyNode(): Node {
  return { literals: new Map(), variable: undefined, family: undefined, rest: undefined };
}

function variableOf(node: Node): Node {
  node.variable ??= emptyNode();
  return node.variable;
}

function literalOf(node: Node, segment: string): Node {
  const known = node.literals.get(segment);
  if (known !== undefined) return known;
  const fresh = emptyNode();
  node.literals.set(segment, fresh);
  return fresh;
}
