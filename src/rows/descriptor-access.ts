import type { Maybe } from "../lsm/index.ts";

/** The reads and writes that descriptors need: of one transaction. */
export interface DescriptorAccess {
  /** Others must not change the key until the transaction has committed. */
  readonly get: (key: Uint8Array) => Maybe<Uint8Array | undefined>;
  readonly put: (key: Uint8Array, value: Uint8Array) => void;
  readonly delete: (key: Uint8Array) => void;
  readonly values: (from: Uint8Array, to: Uint8Array) => Promise<readonly Uint8Array[]>;
}
