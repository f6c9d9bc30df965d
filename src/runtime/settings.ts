import { resolve } from "node:path";
import { fileUri, parseLocation } from "./location.ts";

/** The wirings that Firn is designed for, whether built yet or not. */
export const PROFILES = ["memory", "local", "bucket", "aws"] as const;
export type Profile = (typeof PROFILES)[number];

/** The profiles that can be started. */
export const BUILT_PROFILES: readonly Profile[] = ["memory", "local"];

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A catalog that is made at the start if it is absent. */
export interface CatalogSetting {
  readonly name: string;
  /** Root of its tables; absent means a folder of the warehouse. */
  readonly uri?: string;
}

/** Every setting, validated. JSON-able: components come in through `compose`. */
export interface Settings {
  readonly profile: Profile;
  readonly host: string;
  readonly port: number;
  /** Absolute path. */
  readonly dir: string;
  /** A URI without a slash at its end. */
  readonly warehouse: string;
  readonly catalog: readonly CatalogSetting[];
  readonly allowLocation: readonly string[];
  readonly allowAnonymous: boolean;
  /** Requests under way at once, reads and writes apart. */
  readonly maxInFlight: number;
  readonly logLevel: LogLevel;
  /** Where another process has the directory open: wait until it has ended. */
  readonly standby: boolean;
  /** Likewise: fence it now. */
  readonly takeover: boolean;
}

export type SettingName = keyof Settings;

/** One setting: flag, environment variable, field, help and documentation are made of this. */
export interface SettingSpec<T> {
  /** How help shows the value; empty for a switch. */
  readonly placeholder: string;
  readonly repeatable: boolean;
  readonly doc: string;
  /** The default as documentation shows it. */
  readonly fallbackText: string;
  /** The default, which may rest on settings that stand earlier in the table. */
  readonly fallback: (earlier: Partial<Settings>, cwd: string) => T;
  /** @throws RangeError that says what the value must be. */
  readonly parse: (texts: readonly string[], cwd: string) => T;
}

type SettingTable = { readonly [Name in SettingName]: SettingSpec<Settings[Name]> };

/** All settings, in the order of help and documentation. */
export const SETTINGS: SettingTable = {
  profile: {
    ...single(`<${PROFILES.join("|")}>`, "local", oneOf(PROFILES)),
    doc:
      `where the catalog is stored; built so far: ${BUILT_PROFILES.join(", ")} ` +
      "(memory: tables vanish with the process, their files stay)",
  },
  host: {
    ...single("<address>", "127.0.0.1", parseHost),
    doc: "address to listen on; anything but loopback needs --allow-anonymous",
  },
  port: {
    ...single("<port>", "8181", parsePort),
    doc: "port to listen on; 0 takes any free one and prints it",
  },
  dir: {
    ...single("<path>", "./.firn", parseDir),
    doc: "folder of everything that Firn keeps on this machine",
  },
  warehouse: {
    ...single("<uri|path>", "<dir>/warehouse", parseLocation),
    fallback: ({ dir }, cwd) => fileUri(resolve(cwd, dir ?? ".", "warehouse")),
    doc: "root of the tables of the default catalog",
  },
  catalog: {
    ...many("<name[=uri]>", parseCatalog),
    doc: "further catalog, made at the start if it is absent",
  },
  allowLocation: {
    ...many("<uri|path>", parseLocation),
    doc: "further root under which tables may lie or be registered from",
  },
  allowAnonymous: {
    ...single("", "false", parseSwitch),
    doc: "serve anybody who can reach the port: other hosts than loopback, under any Host name",
  },
  maxInFlight: {
    ...single("<requests>", "128", parseCount),
    doc: "requests under way at once, reads and writes apart; more are answered 429 at once",
  },
  logLevel: {
    ...single(`<${LOG_LEVELS.join("|")}>`, "info", oneOf(LOG_LEVELS)),
    doc: "least level of the JSON lines on stderr",
  },
  standby: {
    ...single("", "false", parseSwitch),
    doc: "where another process has the directory open: wait until it has ended, then serve",
  },
  takeover: {
    ...single("", "false", parseSwitch),
    doc: "where another process has the directory open: take it over now; the other stops serving",
  },
};

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS) as SettingName[];

type ParseOne<T> = (text: string, cwd: string) => T;
type Spec<T> = Omit<SettingSpec<T>, "doc">;

function single<T>(placeholder: string, fallbackText: string, parse: ParseOne<T>): Spec<T> {
  return {
    placeholder,
    repeatable: false,
    fallbackText,
    fallback: (_earlier, cwd) => parse(fallbackText, cwd),
    parse: (texts, cwd) => {
      const [text, ...more] = texts;
      if (text === undefined || more.length > 0) throw new RangeError("must be given once");
      return parse(text, cwd);
    },
  };
}

function many<T>(placeholder: string, parse: ParseOne<T>): Spec<readonly T[]> {
  return {
    placeholder,
    repeatable: true,
    fallbackText: "",
    fallback: () => [],
    parse: (texts, cwd) => texts.map((text) => parse(text, cwd)),
  };
}

function oneOf<T extends string>(choices: readonly T[]): ParseOne<T> {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new RangeError(`must be one of ${choices.join(", ")}`);
    return choice;
  };
}

function parseHost(text: string): string {
  if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(text)) throw new RangeError("must be a host or address");
  return text;
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new RangeError("must be an integer from 0 to 65535");
  }
  return Number(text);
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new RangeError("must be an integer from 1 to 999999");
  return Number(text);
}

function parseDir(text: string, cwd: string): string {
  if (text === "" || text.includes("\0")) throw new RangeError("must be a path");
  return resolve(cwd, text);
}

function parseCatalog(text: string, cwd: string): CatalogSetting {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  if (name === "") throw new RangeError("must be a name, or name=uri");
  return equals < 0 ? { name } : { name, uri: parseLocation(text.slice(equals + 1), cwd) };
}

function parseSwitch(text: string): boolean {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw new RangeError("must be true or false");
}
