import {
  type JsonObject,
  type JsonValue,
  jsonKeys,
  printJson,
  TextPieces,
  textPieces,
} from "../base/json.ts";
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

/** A text of any length, in pieces that belong one behind the other. */
export type Texts = Steps<readonly string[]>;

/** A member as its text, as a list of parts, or undefined where it is left out. */
export type Member = string | Texts | readonly Part[] | ChunkedList<Part> | undefined;

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
    else if ("next" in member) yield* printer.texts(yield* member);
    else yield* printer.list(member);
    separator = ",";
  }
  printer.text(separator === "{" ? "{}" : "}");
  return printer.finish();
}

/** An object of named parts. */
export function* mapSteps<T>(map: ReadonlyMap<string, T>, print: (value: T) => string): Texts {
  const out = new TextPieces();
  let members = 0;
  for (const [name, value] of map) {
    out.add(`${members === 0 ? "{" : ","}${printJson(name)}:${print(value)}`);
    if (++members % MEMBERS_A_STEP === 0) yield;
  }
  out.add(members === 0 ? "{}" : "}");
  return out.whole();
}

const MEMBERS_A_STEP = 256;

/** As `mapSteps`, at once where there is little to print. */
export function printedMap<T>(map: ReadonlyMap<string, T>, print: (value: T) => string): Member {
  if (map.size > FEW_MEMBERS) return mapSteps(map, print);
  let out = "{";
  for (const [name, value] of map) {
    out += `${out.length === 1 ? "" : ","}${printJson(name)}:${print(value)}`;
  }
  // A long text is encoded in pieces.
  return out.length > SHORT_CHARS ? mapSteps(map, print) : `${out}}`;
}

const FEW_MEMBERS = 64;
const SHORT_CHARS = 65_536;

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
  const [x, y] = [yield* textsOrParts(a), yield* textsOrParts(b)];
  if ("texts" in x || "texts" in y) {
    return "texts" in x && "texts" in y && (yield* sameText(x.texts, y.texts));
  }
  if (x.parts.length !== y.parts.length) return false;
  const others = y.parts[Symbol.iterator]();
  for (const one of x.parts) {
    const other = others.next().value;
    if (one === other) continue;
    if (other === undefined) return false;
    const text = yield* one.fragment.textSteps();
    if (!(yield* sameText(text, yield* other.fragment.textSteps()))) return false;
  }
  return true;
}

type TextsOrParts =
  | { readonly texts: readonly string[] }
  | { readonly parts: readonly Part[] | ChunkedList<Part> };

function* textsOrParts(member: Exclude<Member, undefined>): Steps<TextsOrParts> {
  if (typeof member === "string") return { texts: textPieces(member) };
  return "next" in member ? { texts: yield* member } : { parts: member };
}

/** Whether two texts are equal, wherever each is cut into pieces. */
function* sameText(a: readonly string[], b: readonly string[]): Steps<boolean> {
  let [i, j, inA, inB] = [0, 0, 0, 0];
  for (;;) {
    const [one, other] = [a[i], b[j]];
    if (one === undefined || other === undefined) return one === other;
    const length = Math.min(one.length - inA, other.length - inB);
    if (one.slice(inA, inA + length) !== other.slice(inB, inB + length)) return false;
    [inA, inB] = [inA + length, inB + length];
    if (inA === one.length) [i, inA] = [i + 1, 0];
    if (inB === other.length) [j, inB] = [j + 1, 0];
    yield;
  }
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
