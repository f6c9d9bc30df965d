import { type JsonObject, type JsonValue, jsonKeys, printJson } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
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
export type Member = string | Steps<string> | readonly Part[] | ChunkedList<Part> | undefined;

/** Compact JSON as UTF-8, in pieces that belong one behind the other and are shared: read-only. */
export function* layoutSteps(
  layout: readonly LayoutEntry[],
  memberOf: (name: string) => Member,
): Steps<readonly Uint8Array[]> {
  const printer = new Printer();
  let separator = "{";
  for (const { name, text } of layout) {
    const member = text ?? memberOf(name);
    if (member === undefined) continue;
    printer.text(`${separator}${printJson(name)}:`);
    if (typeof member === "string") printer.text(member);
    else if ("next" in member) printer.text(yield* member);
    else yield* printer.list(member);
    separator = ",";
  }
  printer.text(separator === "{" ? "{}" : "}");
  return printer.finish();
}

/** An object of named parts. */
export function* mapSteps<T>(
  map: ReadonlyMap<string, T>,
  print: (value: T) => string,
): Steps<string> {
  const members: string[] = [];
  for (const [name, value] of map) {
    members.push(`${printJson(name)}:${print(value)}`);
    if (members.length % MEMBERS_A_STEP === 0) yield;
  }
  return `{${members.join(",")}}`;
}

const MEMBERS_A_STEP = 256;

/** Metadata as it prints: names in their order, and what stands under each. */
export interface Printed {
  readonly layout: readonly LayoutEntry[];
  readonly memberOf: (name: string) => Member;
}

/** The members that print differently, or that only one has; those of `next` first. */
export function* changedSteps(base: Printed | undefined, next: Printed): Steps<readonly string[]> {
  const before = base === undefined ? new Map() : membersOf(base);
  const after = membersOf(next);
  const changed: string[] = [];
  for (const name of new Set([...after.keys(), ...before.keys()])) {
    if (!(yield* sameMember(before.get(name), after.get(name)))) changed.push(name);
  }
  return changed;
}

function membersOf({ layout, memberOf }: Printed): ReadonlyMap<string, Member> {
  const members = layout.map(({ name, text }) => [name, text ?? memberOf(name)] as const);
  return new Map(members.filter(([, member]) => member !== undefined));
}

function* sameMember(a: Member, b: Member): Steps<boolean> {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const [x, y] = [yield* textOrParts(a), yield* textOrParts(b)];
  if (typeof x === "string" || typeof y === "string") return x === y;
  if (x.length !== y.length) return false;
  const others = y[Symbol.iterator]();
  for (const one of x) {
    const other = others.next().value;
    if (one === other) continue;
    const text = yield* one.fragment.textSteps();
    if (other === undefined || text !== (yield* other.fragment.textSteps())) return false;
    yield;
  }
  return true;
}

function* textOrParts(
  member: Exclude<Member, undefined>,
): Steps<string | readonly Part[] | ChunkedList<Part>> {
  return typeof member === "object" && "next" in member ? yield* member : member;
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
