import type { Node } from "libpg-query";
import type { ViewObject } from "../../rows/index.ts";

/** A view that a statement names: its query is parsed, and bound where it is used. */
export interface KnownView {
  readonly view: ViewObject;
  readonly oid: number;
  readonly query: Node;
}
