import { STRINGS } from "../strings.ts";
import { Icon } from "./icon.tsx";

/** What is wrong with a table, in two words each. */
export function findingsText(codes: readonly string[]): string {
  return codes.map((code) => STRINGS.findings[code] ?? code).join(", ");
}

/** Nothing where nothing was found. */
export function Findings({ codes = [] }: { readonly codes?: readonly string[] | undefined }) {
  if (codes.length === 0) return null;
  return (
    <span class="marked warn">
      <Icon name="warning" />
      {findingsText(codes)}
    </span>
  );
}
