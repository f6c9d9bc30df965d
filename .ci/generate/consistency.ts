import { renderConsistency } from "../../test/consistency/document.ts";
import { QUESTIONS } from "../../test/consistency/table.ts";
import type { Generated } from "./generated.ts";

/** `docs/consistency.md`, from the table that its tests are made of. */
export async function generateConsistency(): Promise<readonly Generated[]> {
  return [{ path: "docs/consistency.md", text: renderConsistency(QUESTIONS) }];
}
