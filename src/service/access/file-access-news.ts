import type { Actor } from "../actor.ts";
import type { TableRef } from "../requests.ts";
import type { VendMode } from "./session-policy.ts";

/** Told of each access to the files of tables that is given away. Must not throw, nor wait. */
export interface FileAccessNews {
  /** Credentials for the files of a table. */
  lent(actor: Actor, table: TableRef, mode: VendMode): void;
  /** A signature of one request for them. */
  signed(actor: Actor, table: TableRef, mode: VendMode): void;
}

/** Passes on to a listener, which is made later than what tells. */
export class FileAccessRelay implements FileAccessNews {
  listener: FileAccessNews | undefined;

  lent(actor: Actor, table: TableRef, mode: VendMode): void {
    this.listener?.lent(actor, table, mode);
  }

  signed(actor: Actor, table: TableRef, mode: VendMode): void {
    this.listener?.signed(actor, table, mode);
  }
}
