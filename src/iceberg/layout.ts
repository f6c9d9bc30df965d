import { type JsonObject, type JsonValue, jsonKeys, printJson } from "../base/json.ts";
import type { Fragment } from "./fragment.ts";

/** A top-level member as printed: a fixed text, or without one, what the model says. */
export interface LayoutEntry {
  readonly name: string;
  readonly text?: string;
}

/**
 * The layout of metadata as it was read. `modelled` members print from their parts, every other one
 * as it stands there, so that what was only read prints token for token.
 */
export function layoutOf(
  object: JsonObject,
  modelled: ReadonlySet<string>,
): readonly LayoutEntry[] {
  return jsonKeys(object).map((name) => {
    const value: JsonValue = object[name] ?? null;
    return value !== null && modelled.has(name) ? { name } : { name, text: printJson(value) };
  });
}

/** The layout of changed metadata: the format's members, then those that it does not know. */
export function changedLayout(
  members: readonly string[],
  known: ReadonlySet<string>,
  base: readonly LayoutEntry[],
): readonly LayoutEntry[] {
  const unknown = base.filter((entry) => !known.has(entry.name));
  return [...members.map((name) => ({ name })), ...unknown];
}

/** Compact JSON text; `printMember` gives undefined for a member that is left out. */
export function printLayout(
  layout: readonly LayoutEntry[],
  printMember: (name: string) => string | undefined,
): string {
  const members: string[] = [];
  for (const { name, text } of layout) {
    const printed = text ?? printMember(name);
    if (printed !== undefined) members.push(`${printJson(name)}:${printed}`);
  }
  return `{${members.join(",")}}`;
}

/** A list of parts, each as it was once printed. */
export function printList(items: readonly { readonly fragment: Fragment }[]): string {
  return `[${items.map((item) => item.fragment.text).join(",")}]`;
}

/** An object of named parts. */
export function printMap<T>(map: ReadonlyMap<string, T>, print: (value: T) => string): string {
  const members = Array.from(map, ([name, value]) => `${printJson(name)}:${print(value)}`);
  return `{${members.join(",")}}`;
}

/** The same metadata at another spelling of its location; all else prints as before. */
export function withLocation<
  M extends { readonly location: string; readonly layout: readonly LayoutEntry[] },
>(metadata: M, location: string): M {
  const layout = metadata.layout.map((entry) =>
    entry.name === "location" ? { name: entry.name } : entry,
  );
  return { ...metadata, location, layout };
}
