import type { Node } from "libpg-query";
import type { SequenceOptions } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf } from "../../parse/statement.ts";

const TYPES: Readonly<Record<string, SequenceOptions["type"]>> = {
  int2: "int2",
  int4: "int4",
  int8: "int8",
};

/** What stands behind CREATE SEQUENCE or in the brackets of an identity. @throws SqlError. */
export function sequenceOptions(nodes: readonly Node[]): SequenceOptions {
  let options: SequenceOptions = {};
  const seen = new Set<string>();
  for (const node of nodes) {
    const { defname = "", arg } = contentOf(node, "DefElem") ?? {};
    if (seen.has(defname)) throw new SqlError("42601", "conflicting or redundant options");
    seen.add(defname);
    options = { ...options, ...optionOf(defname, arg) };
  }
  return options;
}

/**
 * As `sequenceOptions`, with the name that SEQUENCE NAME gives.
 *
 * @param namespace of the table, where it is known.
 * @throws SqlError.
 */
export function identityOptions(
  nodes: readonly Node[],
  namespace?: readonly string[],
): SequenceOptions & { readonly name?: string } {
  const isName = (node: Node): boolean => contentOf(node, "DefElem")?.defname === "sequence_name";
  const [named, twice] = nodes.filter(isName);
  if (twice !== undefined) throw new SqlError("42601", "conflicting or redundant options");
  const options = sequenceOptions(nodes.filter((node) => !isName(node)));
  const path = textsOf(contentOf(contentOf(named, "DefElem")?.arg, "List")?.items);
  const name = path.at(-1);
  if (name === undefined) return options;
  if (path.length > 1 && path.slice(0, -1).join(".") !== namespace?.join(".")) {
    throw notSupported("SEQUENCE NAME with a schema", "The sequence is in the table's schema.");
  }
  return { ...options, name };
}

/** What the letter of `GENERATED … AS IDENTITY` means. */
export function identityOf(letter: string | undefined): "always" | "by default" {
  return letter === "a" ? "always" : "by default";
}

function optionOf(name: string, arg: Node | undefined): SequenceOptions {
  switch (name) {
    case "start":
      return { start: numberOf(arg) };
    case "increment":
      return { increment: numberOf(arg) };
    // NO MINVALUE has no value.
    case "minvalue":
      return arg === undefined ? {} : { min: numberOf(arg) };
    case "maxvalue":
      return arg === undefined ? {} : { max: numberOf(arg) };
    case "cache":
      return { cache: Number(numberOf(arg)) };
    case "cycle":
      return { cycle: contentOf(arg, "Boolean")?.boolval === true };
    case "as": {
      const type = TYPES[textsOf(contentOf(arg, "TypeName")?.names).at(-1) ?? ""];
      if (type !== undefined) return { type };
      throw new SqlError("22023", "sequence type must be smallint, integer, or bigint");
    }
    default:
      throw notSupported(`the option ${name} of a sequence`);
  }
}

export function numberOf(arg: Node | undefined): bigint {
  const whole = contentOf(arg, "Integer");
  return whole === undefined
    ? BigInt(contentOf(arg, "Float")?.fval ?? "0")
    : BigInt(whole.ival ?? 0);
}
