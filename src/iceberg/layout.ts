import { type JsonObject, type JsonValue, jsonKeys, printJson } from "../base/json.ts";
import type { ChunkedList, Part } from "./chunked-list.ts";
import { Printer } from "./printer.ts";

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
  members: readonly LayoutEntry[],
  known: ReadonlySet<string>,
  base: readonly LayoutEntry[],
): readonly LayoutEntry[] {
  const unknown = base.filter((entry) => !known.has(entry.name));
  return unknown.length === 0 ? members : [...members, ...unknown];
}

/** A member as its text, as a list of parts, or undefined where it is left out. */
export type Member = string | readonly Part[] | ChunkedList<Part> | undefined;

/** Compact JSON as UTF-8, in pieces that belong one behind the other and are shared: read-only. */
export function printLayout(
  layout: readonly LayoutEntry[],
  memberOf: (name: string) => Member,
): readonly Uint8Array[] {
  const printer = new Printer();
  let separator = "{";
  for (const { name, text } of layout) {
    const member = text ?? memberOf(name);
    if (member === undefined) continue;
    printer.text(`${separator}${printJson(name)}:`);
    if (typeof member === "string") printer.text(member);
    else printer.list(member);
    separator = ",";
  }
  printer.text(separator === "{" ? "{}" : "}");
  return printer.finish();
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
