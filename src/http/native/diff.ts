import type { Diff, Resource } from "../../api/resources.ts";

/** Members that every version changes: they are not news. */
const OF_VERSION: ReadonlySet<string> = new Set(["version", "etag", "updatedAt", "updatedBy"]);

type Flat = Map<string, unknown>;

/** What differs between two versions of a resource, by JSON pointer, in byte order. */
export function diffOf(from: Resource, to: Resource): Diff {
  const [before, after] = [flatten(from), flatten(to)];
  const pointers = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changes = pointers.flatMap((pointer) => {
    const [was, is] = [before.get(pointer), after.get(pointer)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [
      {
        pointer,
        ...(before.has(pointer) && { before: was }),
        ...(after.has(pointer) && { after: is }),
      },
    ];
  });
  return { from: from.version, to: to.version, changes };
}

/** Members of objects by their pointers; lists are told whole. */
function flatten(resource: Resource): Flat {
  const flat: Flat = new Map();
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (pointer === "" && OF_VERSION.has(name)) continue;
        walk(member, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
      }
    } else flat.set(pointer, value);
  };
  walk(resource, "");
  return flat;
}
