/** Keys from `from`, inclusive, to `to`, exclusive; without `to` up to the last key. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to?: Uint8Array;
}

/** The keys that start with `prefix`. */
export function rangeOfPrefix(prefix: Uint8Array): KeyRange {
  const to = prefixEnd(prefix);
  return to === undefined ? { from: prefix } : { from: prefix, to };
}

/** The first key behind all that start with `prefix`; undefined where those are the last keys. */
export function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  const end = new Uint8Array(prefix.subarray(0, length));
  end[length - 1] = (end[length - 1] as number) + 1;
  return end;
}

/** The first key behind `key` itself. */
export function keyAfter(key: Uint8Array): Uint8Array {
  const after = new Uint8Array(key.length + 1);
  after.set(key);
  return after;
}
