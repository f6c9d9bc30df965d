import { notSupported, SqlError } from "../error.ts";
import { civilOf, daysOf } from "./calendar.ts";
import { offsetText } from "./date-time-text.ts";
import { abbreviation, wordOfZone } from "./zone-abbreviations.ts";

/** Seconds east of UTC at an instant, given as seconds since 1970. */
export interface Zone {
  readonly name: string;
  offsetAt(seconds: number): number;
  /** `PST`; the offset where there is no such word. */
  abbreviationAt(seconds: number): string;
  /** For a local time: in a gap the offset before it, in an overlap the one behind it. */
  offsetOfLocal(localSeconds: number): number;
}

function fixed(name: string, offset: number): Zone {
  const abbreviationAt = (): string => (/^[a-z]+$/i.test(name) ? name : offsetText(offset));
  return { name, offsetAt: () => offset, offsetOfLocal: () => offset, abbreviationAt };
}

/** One change of a zone's offset. */
interface Change {
  readonly from: number;
  readonly offset: number;
}

/** Words for zones are a language's: each of these has some that the others lack. */
const LOCALES: readonly string[] = ["en-US", "en-GB", "en-AU", "en-NZ", "en-IN", "en-ZA"];
/** A winter and a summer of one year, on each half of the Earth. */
const NAMED_LATER: readonly number[] = [
  daysOf(2_001, 1, 15) * 86_400,
  daysOf(2_001, 7, 15) * 86_400,
];
const FIRST_YEAR = 1_800;
/** Years behind it are read as earlier ones, all of which have the rules of today. */
const LAST_YEAR = 2_440;

/** A zone of the tz database, by `Intl`; the changes of each year are found once. */
class NamedZone implements Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new Map<number, readonly Change[]>();
  #words: readonly Intl.DateTimeFormat[] | undefined;

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      timeZoneName: "longOffset",
      year: "numeric",
    });
    this.name = name;
  }

  offsetAt(seconds: number): number {
    let at = seconds;
    let { year } = civilOf(Math.floor(at / 86_400));
    // Rules of the far future repeat with the calendar, every 400 years.
    if (year >= LAST_YEAR) {
      const eras = Math.ceil((year - LAST_YEAR + 1) / 400);
      at -= eras * 146_097 * 86_400;
      year -= eras * 400;
    }
    if (year < FIRST_YEAR) {
      year = FIRST_YEAR;
      at = daysOf(FIRST_YEAR, 1, 1) * 86_400;
    }
    const changes = this.#changesOf(year);
    let offset = changes[0]?.offset ?? 0;
    for (const change of changes) if (change.from <= at) offset = change.offset;
    return offset;
  }

  abbreviationAt(seconds: number): string {
    const offset = this.offsetAt(seconds);
    // Before zones were made, each town had its mean time.
    if (offset % 60 !== 0) return "LMT";
    const at = this.#withinIntl(seconds);
    const shown = this.#wordAt(at) ?? wordOfZone(this.name);
    if (shown !== undefined) return shown;
    // `Intl` has no words for the past of some zones: a later year tells what an offset is called.
    for (const later of NAMED_LATER) {
      const word = this.offsetAt(later) === offset ? this.#wordAt(later) : undefined;
      if (word !== undefined) return word;
    }
    return offsetText(offset);
  }

  #wordAt(at: number): string | undefined {
    this.#words ??= LOCALES.map((locale) => {
      const shown = { timeZone: this.name, timeZoneName: "short" } as const;
      return new Intl.DateTimeFormat(locale, shown);
    });
    for (const words of this.#words) {
      const parts = words.formatToParts(at * 1_000);
      const word = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
      if (/^[A-Z]+$/.test(word)) return word;
    }
    return undefined;
  }

  /** An instant of a year that `Intl` knows, at the same place of its calendar. */
  #withinIntl(seconds: number): number {
    const { year } = civilOf(Math.floor(seconds / 86_400));
    const eras = year >= LAST_YEAR ? Math.ceil((year - LAST_YEAR + 1) / 400) : 0;
    return seconds - eras * 146_097 * 86_400;
  }

  offsetOfLocal(local: number): number {
    const before = this.offsetAt(local - 86_400);
    const after = this.offsetAt(local + 86_400);
    if (before === after && this.offsetAt(local - before) === before) return before;
    const beforeFits = this.offsetAt(local - before) === before;
    const afterFits = this.offsetAt(local - after) === after;
    if (beforeFits && afterFits) return before > after ? after : before;
    if (beforeFits) return before;
    if (afterFits) return after;
    return before < after ? before : this.offsetAt(local - before);
  }

  #changesOf(year: number): readonly Change[] {
    const known = this.#years.get(year);
    if (known !== undefined) return known;
    const start = daysOf(year, 1, 1) * 86_400;
    const end = daysOf(year + 1, 1, 1) * 86_400;
    const changes: Change[] = [{ from: start, offset: this.#read(start) }];
    const step = 7 * 86_400;
    for (let at = start; at < end; at += step) {
      const next = Math.min(at + step, end);
      const last = changes.at(-1)?.offset ?? 0;
      const offset = this.#read(next);
      if (offset !== last) changes.push(this.#change(at, next, last, offset));
    }
    this.#years.set(year, changes);
    return changes;
  }

  #change(low: number, high: number, before: number, after: number): Change {
    let [from, to] = [low, high];
    while (to - from > 1) {
      const middle = Math.floor((from + to) / 2);
      if (this.#read(middle) === before) from = middle;
      else to = middle;
    }
    return { from: to, offset: after };
  }

  #read(seconds: number): number {
    const parts = this.#format.formatToParts(seconds * 1_000);
    const text = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
    const found = /GMT([+-])(\d+)(?::(\d+))?(?::(\d+))?/.exec(text);
    if (found === null) return 0;
    const [, sign, hours = "0", minutes = "0", rest = "0"] = found;
    const size = Number(hours) * 3_600 + Number(minutes) * 60 + Number(rest);
    return sign === "-" ? -size : size;
  }
}

const CACHED_ZONES = 1_000;
const zones = new Map<string, Zone | undefined>();

/** `+05:30` as PostgreSQL's input of values takes it: hours, minutes and seconds east. */
export function parseOffset(text: string): number | undefined {
  const found = /^([+-])(\d+)(?::(\d{1,2}))?(?::(\d{1,2}))?$/.exec(text);
  if (found === null) return undefined;
  let [, sign, hours = "0", minutes = "0", seconds = "0"] = found;
  if (found[3] === undefined && hours.length > 2) {
    minutes = hours.slice(-2);
    hours = hours.slice(0, -2);
    if (hours.length > 2) {
      seconds = minutes;
      minutes = hours.slice(-2);
      hours = hours.slice(0, -2);
    }
  }
  if (Number(hours) > 15 || Number(minutes) > 59 || Number(seconds) > 59) {
    throw new SqlError("22009", `time zone displacement out of range: "${text}"`);
  }
  const size = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -size : size;
}

/** The zone that an abbreviation stands for. */
export function abbreviatedZone(word: string): Zone | undefined {
  const meaning = abbreviation(word);
  if (meaning === undefined) return undefined;
  if (typeof meaning === "number") return fixed(word, meaning);
  const zone = namedZone(meaning);
  if (zone === undefined) return undefined;
  // The word means what it meant at the instant, also where local times were skipped or came twice.
  const offsetOfLocal = (local: number): number => zone.offsetAt(local - zone.offsetOfLocal(local));
  return {
    name: word,
    offsetAt: (seconds) => zone.offsetAt(seconds),
    abbreviationAt: (seconds) => zone.abbreviationAt(seconds),
    offsetOfLocal,
  };
}

/** `UTC+3`, `<x>-03:30`: offsets as POSIX writes them, to the west. */
export function posixZone(text: string): Zone | undefined {
  const found = /^(?:<?[A-Za-z]*>?)?([+-]?)(\d{1,3})(?::(\d{2}))?(?::(\d{2}))?$/.exec(text);
  if (found === null) return undefined;
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = found;
  const west = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  if (Number(hours) > 167) return undefined;
  return fixed(text, sign === "-" ? west : west === 0 ? 0 : -west);
}

/** A zone of the tz database by name, in any case; nothing where there is none. */
export function namedZone(name: string): Zone | undefined {
  const key = name.toLowerCase();
  if (zones.has(key)) return zones.get(key);
  if (zones.size >= CACHED_ZONES) zones.clear();
  const zone = openZone(name, key);
  zones.set(key, zone);
  return zone;
}

function openZone(name: string, key: string): Zone | undefined {
  if (/^(?:utc|gmt|uct|zulu|universal|etc\/utc|etc\/gmt|greenwich)$/.test(key))
    return fixed(name, 0);
  // `Intl` takes offsets as names; PostgreSQL reads those the other way round.
  if (!/^[a-z]/.test(key)) return undefined;
  const offset = FIXED_NAMES[key];
  if (offset !== undefined) return fixed(name, offset);
  try {
    return new NamedZone(name);
  } catch {
    return undefined;
  }
}

/** Names whose rules PostgreSQL keeps fixed. */
const FIXED_NAMES: Readonly<Record<string, number>> = { est: -18_000, mst: -25_200, hst: -36_000 };

/**
 * The zone of `AT TIME ZONE`, `SET timezone` and the session: an abbreviation, a name or a POSIX
 * offset, whose sign means west.
 *
 * @throws SqlError 22023.
 */
export function zoneOf(text: string): Zone {
  const known = abbreviatedZone(text) ?? namedZone(text) ?? posixZone(text);
  if (known !== undefined) return known;
  // PostgreSQL reads many such texts as POSIX rules.
  if (/\d/.test(text)) throw notSupported(`time zone "${text}"`);
  throw new SqlError("22023", `time zone "${text}" not recognized`);
}
