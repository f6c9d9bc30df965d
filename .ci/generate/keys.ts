import { type CatalogKeyFamily, FAMILIES } from "../../src/catalog/keys.ts";
import { BLOBS } from "../../src/catalog/paths.ts";
import type { Generated } from "./generated.ts";

/** `docs/keys.md`, from the one table of key families and the one of payload blobs. */
export async function generateKeys(): Promise<readonly Generated[]> {
  const families: Readonly<Record<string, CatalogKeyFamily>> = FAMILIES;
  const rowOf = ([name, family]: readonly [string, CatalogKeyFamily]): string => {
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
  };
  const stored = Object.entries(families).filter(([, { reserved }]) => reserved !== true);
  const reserved = Object.entries(families).filter(([, family]) => family.reserved === true);
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
    "Every pointer that the catalog stores belongs to one of these families. `{name}` is one",
    "percent-encoded segment; `{name...}` is one or more trailing ones. *Listed* families are",
    "stored under their directory, so that one query answers a page. Every change of a busy table",
    "or parent writes *hot* ones. *Derived* ones can be rebuilt; the others are the source.",
    "",
    "| family | pattern | traits | life | note |",
    "|---|---|---|---|---|",
    ...stored.map(rowOf),
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
    "## Reserved",
    "",
    "Firn stores nothing under these patterns today. They are reserved for planned features.",
    "",
    "| family | pattern | content |",
    "|---|---|---|",
    ...reserved.map(([name, { pattern, note }]) => `| \`${name}\` | \`${pattern}\` | ${note} |`),
    "",
  ].join("\n");
  return [{ path: "docs/keys.md", text }];
}
