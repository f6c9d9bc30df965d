import { type Key, latin1Text } from "./entry.ts";

/** The bytes of the key that was kept last: what tells the next one from it without a text. */
export class LastKey {
  #bytes: Buffer = Buffer.allocUnsafeSlow(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get text(): Key {
    return latin1Text(this.#bytes, 0, this.#length);
  }

  byteAt(index: number): number {
    return this.#bytes[index] as number;
  }

  /** How many bytes the key in [from, to) of an array shares with it. */
  shared(key: Uint8Array, from: number, to: number): number {
    const last = this.#bytes;
    const most = Math.min(this.#length, to - from);
    let i = 0;
    while (i < most && key[from + i] === last[i]) i++;
    return i;
  }

  /** Keeps the key in [from, to) of an array, which shares its first bytes with the one before. */
  keep(key: Uint8Array, from: number, to: number, shared: number): void {
    const length = to - from;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(2 * length);
      grown.set(this.#bytes.subarray(0, shared));
      this.#bytes = grown;
    }
    const last = this.#bytes;
    for (let i = shared; i < length; i++) last[i] = key[from + i] as number;
    this.#length = length;
  }
}
