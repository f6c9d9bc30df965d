import type { BlobStore } from "../../src/blob/port.ts";

/** A store that notes the path of each blob that is read whole. */
export function countedReads(inner: BlobStore): {
  readonly store: BlobStore;
  readonly reads: string[];
} {
  const reads: string[] = [];
  const get: BlobStore["get"] = (path) => {
    reads.push(path);
    return inner.get(path);
  };
  const store = new Proxy(inner, {
    get: (target, name) => {
      const member: unknown = name === "get" ? get : Reflect.get(target, name);
      return typeof member === "function" && name !== "get" ? member.bind(target) : member;
    },
  });
  return { store, reads };
}
