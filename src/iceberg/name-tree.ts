/** A place in the tree, which stands for one full name. */
export class NameNode<T> {
  value: T | undefined;
  /** By the first segment of what follows. */
  edges: Map<string, Edge<T>> | undefined;
}

/** `label`: one segment or several, joined by dots. */
interface Edge<T> {
  label: string;
  to: NameNode<T>;
}

/**
 * Values by full name, without building one: a full name is the names from the root joined by dots,
 * and names may hold dots themselves, so `a.b` may be one column or a field of a struct. Full names
 * are equal where their segments between dots are.
 *
 * A name is added below the node of its parent, so that an index costs the names' own length, not
 * that of all they stand in. Invariant: edges of a node differ in their first segment, and there
 * are at most twice as many nodes as names.
 */
export class NameTree<T> {
  readonly root: NameNode<T> = new NameNode();

  /** The node of a name below another node; it has a value where the name was there before. */
  add(parent: NameNode<T>, name: string): NameNode<T> {
    let node = parent;
    let rest = name;
    for (;;) {
      const first = firstSegment(rest);
      node.edges ??= new Map();
      const edge = node.edges.get(first);
      if (edge === undefined) {
        const to = new NameNode<T>();
        node.edges.set(first, { label: rest, to });
        return to;
      }
      const shared = sharedLength(edge.label, rest);
      if (shared < edge.label.length) split(edge, shared);
      node = edge.to;
      if (shared === rest.length) return node;
      rest = rest.slice(shared + 1);
    }
  }

  get(fullName: string): T | undefined {
    let node = this.root;
    let rest = fullName;
    for (;;) {
      const edge = node.edges?.get(firstSegment(rest));
      if (edge === undefined || !rest.startsWith(edge.label)) return undefined;
      node = edge.to;
      if (rest.length === edge.label.length) return node.value;
      if (rest[edge.label.length] !== ".") return undefined;
      rest = rest.slice(edge.label.length + 1);
    }
  }

  has(fullName: string): boolean {
    return this.get(fullName) !== undefined;
  }
}

function firstSegment(name: string): string {
  const end = name.indexOf(".");
  return end < 0 ? name : name.slice(0, end);
}

/** Length of the segments that two names begin with; the first is the same. */
function sharedLength(a: string, b: string): number {
  if (a === b) return a.length;
  const least = Math.min(a.length, b.length);
  let shared = 0;
  for (let at = 0; at <= least; at++) {
    const ends = (text: string) => at === text.length || text[at] === ".";
    if (ends(a) && ends(b)) shared = at;
    if (at < least && a[at] !== b[at]) break;
  }
  return shared;
}

/** Puts a node behind the first part of an edge's label. */
function split<T>(edge: Edge<T>, length: number): void {
  const middle = new NameNode<T>();
  const label = edge.label.slice(length + 1);
  middle.edges = new Map([[firstSegment(label), { label, to: edge.to }]]);
  edge.label = edge.label.slice(0, length);
  edge.to = middle;
}
