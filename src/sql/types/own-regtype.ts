import { signatures } from "../signatures/tables.ts";
import type { TypeCodec } from "./codec.ts";
import { splitIdentifiers } from "./names.ts";
import type { TypeRegistry } from "./registry.ts";
import { regtype } from "./regtype.ts";

/** `regtype` of a session: the types of its database too. */
export function ownRegtype(types: TypeRegistry): TypeCodec<number> {
  return {
    ...regtype,
    input(text, typmod, context) {
      const [, bare = "", array] = /^\s*(.*?)\s*(\[\])?\s*$/s.exec(text) ?? [];
      const names = /^[\w$]+(\.|$)|^"/.test(bare) ? splitIdentifiers(bare) : [];
      const found = types
        .own()
        .filter(({ name, schema, element }) => {
          if (element !== 0 || name !== names.at(-1)) return false;
          return names.length === 1
            ? types.searchPath.includes(schema ?? "")
            : schema === names.at(-2);
        })
        .at(0);
      const isBuiltIn = names.length === 1 && signatures().typeByName.has(names[0] ?? "");
      if (found === undefined || isBuiltIn) return regtype.input(text, typmod, context);
      return array === undefined ? found.oid : found.array;
    },
    output(value, context) {
      const type = types.isOwn(value) ? types.find(value) : undefined;
      if (type === undefined) return regtype.output(value, context);
      const element = type.element === 0 ? undefined : types.find(type.element);
      const isNamed = element === undefined || type.kind === "d";
      return isNamed ? types.shownName(type) : `${types.shownName(element)}[]`;
    },
  };
}
