import { type CatalogKeyFamily, FAMILIES } from "../../src/catalog/keys.ts";
import { BLOBS } from "../../src/catalog/paths.ts";
import type { Generated } from "./generated.ts";

/** `docs/keys.md`, from the one table of key families and the one of payload blobs. */
export async function generateKeys(): Promise<readonly Generated[]> {
  const families: Readonly<Record<string, CatalogKeyFamily>> = FAMILIES;
  const rows = Object.entries(families).map(([name, family]) => {
    const { pattern, listed, derivedFrom, hot, retention, note } = family;
    const traits = [
      listed ? "listed" : "",
      hot === true ? "hot" : "",
      derivedFrom === undefined ? "" : `derived from ${derivedFrom}`,
    ];
    const cells = [
      `\`${name}\``,
      `\`${pattern}\``,
      traits.filter((trait) => trait !== "").join(", "),
      retention ?? "its entity's",
      note,
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  const blobs = Object.entries(BLOBS).map(([name, { pattern, owner, alias, note }]) => {
    const owners = alias === undefined ? [owner] : [owner, alias];
    const families = owners.map((family) => `\`${family}\``).join(", ");
    return `| \`${name}\` | \`${pattern}\` | ${families} | ${note} |`;
  });
  const text = [
    "# Keys",
    "",
    "<!-- Generated from src/catalog/keys.ts and paths.ts by `npm run gen`; do not edit. -->",
    "",
    "Every pointer of the catalog belongs to one of these families. `{name}` is one segment,",
    "percent-encoded; `{name...}` is one or more trailing ones. *Listed* families are stored",
    "under their directory, so that one query answers a page; *hot* ones are written by every",
    "change of a busy table or parent; *derived* ones can be rebuilt, the others are the source.",
    "",
    "| family | pattern | traits | life | note |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    "## Payload blobs",
    "",
    "`{sha}` is the lower-hex SHA-256 of the payload's bytes; a path is never used twice. Only",
    "keys of the owning families ever point at a blob.",
    "",
    "| kind | path | owner | note |",
    "|---|---|---|---|",
    ...blobs,
    "",
  ].join("\n");
  return [{ path: "docs/keys.md", text }];
}
