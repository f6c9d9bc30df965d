/** Where comments are kept: they are of no schema. */
export const COMMENTS: readonly string[] = ["comments"];

export type Commented = "relation" | "column" | "constraint" | "type" | "schema";

/** The name of the comment on an object: by what never changes of it. */
export function commentName(of: Commented, id: string, part = ""): string {
  return `${of} ${id} ${part}`.trimEnd();
}

/** What a comment is about, by its name: an id, or the name of a schema. */
export function commentedId(name: string): string {
  const [of = "", id = ""] = name.split(" ");
  return of === "schema" ? name.slice("schema ".length) : id;
}
