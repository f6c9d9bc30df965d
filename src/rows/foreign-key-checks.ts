import type { TableId } from "../base/ids.ts";
import type { Datum } from "./datum.ts";
import type { ForeignKeyDescriptor } from "./descriptor.ts";

/** A constraint, by its table and name. */
export interface ConstraintName {
  readonly table: TableId;
  readonly name: string;
}

/** A check that waits for the end of its statement, or of its transaction. */
export type Check =
  /** A row was written whose columns must be found in the other table. */
  | {
      readonly kind: "child";
      readonly table: TableId;
      readonly key: ForeignKeyDescriptor;
      readonly row: Uint8Array;
    }
  /** A row has gone, or its key has changed: no row may refer to what it was. */
  | {
      readonly kind: "parent";
      readonly table: TableId;
      readonly key: ForeignKeyDescriptor;
      readonly child: TableId;
      readonly values: readonly Datum[];
    };

/** Which checks wait for the commit: as SET CONSTRAINTS says. */
export interface Deferral {
  readonly all: boolean | undefined;
  readonly named: ReadonlyMap<string, boolean>;
}

/** A place to go back to. */
export interface ForeignKeySavepoint {
  readonly checks: readonly Check[];
  readonly deferral: Deferral;
}
