import type { KeyState, KeyStep } from "../../catalog/cut.ts";
import { keyOfLine } from "../gc/sorted-lines.ts";
import type { ChangeLine, PayloadLine, PointerLine } from "./format.ts";

/*
 * Lines of text that a backup sorts in a scratch store (`../gc/sorted-lines.ts`). What a line is
 * sorted by stands first, numbers as digits of one width, and ends with a space, which no key has.
 */

const digits = (value: bigint | number, width: number): string =>
  String(value).padStart(width, "0");
const VERSION_DIGITS = 20;
const TIME_DIGITS = 16;
const PACK_DIGITS = 8;
const OFFSET_DIGITS = 10;

/** The first words of a line, and what follows them. */
function wordsOf(line: string, count: number): readonly string[] {
  const words: string[] = [];
  let from = 0;
  for (let i = 0; i < count; i++) {
    const to = line.indexOf(" ", from);
    words.push(line.slice(from, to));
    from = to + 1;
  }
  words.push(line.slice(from));
  return words;
}

/** A pointer as a sweep saw it; `blob` and `summary` of one that no payload tells. */
export interface SweptState extends KeyState {
  readonly blob?: string;
  readonly summary?: string;
}

/** By key, then by version. */
export function stateLine({ key, version, ...rest }: SweptState): string {
  return `${key} ${digits(version, VERSION_DIGITS)} ${JSON.stringify(rest)}`;
}

export function stateOf(line: string): SweptState {
  const [key = "", version = "", rest = "{}"] = wordsOf(line, 2);
  const more = JSON.parse(rest) as Omit<SweptState, "key" | "version">;
  return { key, version: BigInt(version), ...more };
}

/** By key, then by version, then by time. */
export function stepLine(step: KeyStep): string {
  const from = digits(step.versionFrom, VERSION_DIGITS);
  const time = digits(step.timeMs, TIME_DIGITS);
  const rest = [String(step.versionTo), step.shaFrom ?? null, step.shaTo ?? null, step.record];
  return `${step.key} ${from} ${time} ${JSON.stringify(rest)}`;
}

export function stepOf(line: string): KeyStep {
  const [key = "", from = "", time = "", rest = "[]"] = wordsOf(line, 3);
  const [to, shaFrom, shaTo, record] = JSON.parse(rest) as [
    string,
    string | null,
    string | null,
    string,
  ];
  return {
    key,
    versionFrom: BigInt(from),
    versionTo: BigInt(to),
    shaFrom: shaFrom ?? undefined,
    shaTo: shaTo ?? undefined,
    record,
    timeMs: Number(time),
  };
}

/** The steps of a change record. */
export function stepsOf({ id, timeMs, keys }: ChangeLine): readonly KeyStep[] {
  return keys.map(([key, from, to, shaFrom, shaTo]) => ({
    key,
    versionFrom: BigInt(from),
    versionTo: BigInt(to),
    shaFrom: shaFrom ?? undefined,
    shaTo: shaTo ?? undefined,
    record: id,
    timeMs,
  }));
}

/** By a word that holds no space. */
export function jsonLine(word: string, value: object): string {
  return `${word} ${JSON.stringify(value)}`;
}

export function jsonOf<T>(line: string): T {
  return JSON.parse(line.slice(line.indexOf(" ") + 1)) as T;
}

/** Where a payload lies, by its hash; `pack` by its hash too. */
export interface Place {
  readonly sha: string;
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
}

export function placeLine({ sha, pack, offset, length }: Place): string {
  return `${sha} ${pack} ${offset} ${length}`;
}

export function placeOf(line: string): Place {
  const [sha = "", pack = "", offset = "", length = ""] = line.split(" ");
  return { sha, pack, offset: Number(offset), length: Number(length) };
}

/** By pack, then by place in it. */
export function packedLine(place: Omit<PayloadLine, "sha">, value: object | string): string {
  const { pack, offset, length } = place;
  const words = [digits(pack, PACK_DIGITS), digits(offset, OFFSET_DIGITS), length];
  return `${words.join(" ")} ${JSON.stringify(value)}`;
}

/** What lies in a pack. */
export interface Packed<T> {
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
  readonly value: T;
}

export function packedOf<T>(line: string): Packed<T> {
  const [pack, offset, length, value = "null"] = wordsOf(line, 3);
  return {
    pack: Number(pack),
    offset: Number(offset),
    length: Number(length),
    value: JSON.parse(value) as T,
  };
}

/** A pointer that lives at a cut. */
export function pointerOf({ key, version, sha, blob, summary }: SweptState): PointerLine[] {
  if (sha === undefined) return [];
  const derived = blob === undefined ? {} : { blob, ...(summary !== undefined && { summary }) };
  return [{ key, version: String(version), sha, ...derived }];
}

/** Each line of a sorted stream with the lines of another one that have its first word. */
export async function* zipped(
  lines: AsyncIterable<string>,
  others: AsyncIterable<string>,
): AsyncGenerator<readonly [line: string, other: string | undefined]> {
  const rest = others[Symbol.asyncIterator]();
  let other = await rest.next();
  for await (const line of lines) {
    const word = keyOfLine(line);
    while (other.done !== true && keyOfLine(other.value) < word) other = await rest.next();
    const isIt = other.done !== true && keyOfLine(other.value) === word;
    yield [line, isIt ? other.value : undefined];
  }
}
