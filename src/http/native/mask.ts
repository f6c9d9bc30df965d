import type { UpdateMask } from "../../api/updates.ts";

/** The members that an update is narrowed to; undefined where all of its body count. */
export function maskOf({ updateMask }: UpdateMask): readonly string[] | undefined {
  return updateMask?.split(",").map((path) => path.trim());
}
