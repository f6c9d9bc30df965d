/** One setting: flag, environment variable, field, help and documentation are made of this. */
export interface SettingSpec<T, Settings> {
  /** How help shows the value; empty for a switch. */
  readonly placeholder: string;
  readonly repeatable: boolean;
  /** Has no flag: what stands on a command line is seen by everybody on the machine. */
  readonly secret: boolean;
  readonly doc: string;
  /** The default as documentation shows it. */
  readonly fallbackText: string;
  /** The default, which may rest on what was given, and on defaults earlier in the table. */
  readonly fallback: (known: Partial<Settings>, cwd: string) => T;
  /** @throws RangeError that says what the value must be, never what it was. */
  readonly parse: (texts: readonly string[], cwd: string) => T;
}

/** Understands one text. @throws RangeError */
export type ParseOne<T> = (text: string, cwd: string) => T;

type Spec<T> = Omit<SettingSpec<T, object>, "doc">;

/** A setting that is given at most once. */
export function single<T>(placeholder: string, fallbackText: string, parse: ParseOne<T>): Spec<T> {
  return {
    placeholder,
    fallbackText,
    repeatable: false,
    secret: false,
    fallback: (_known, cwd) => parse(fallbackText, cwd),
    parse: once(parse),
  };
}

/** A setting that is given at most once, and has no value where it is not. */
export function optional<T>(placeholder: string, parse: ParseOne<T>): Spec<T | undefined> {
  return {
    placeholder,
    fallbackText: "",
    repeatable: false,
    secret: false,
    fallback: () => undefined,
    parse: once(parse),
  };
}

/** A setting that may be repeated. */
export function many<T>(placeholder: string, parse: ParseOne<T>): Spec<readonly T[]> {
  return {
    placeholder,
    fallbackText: "",
    repeatable: true,
    secret: false,
    fallback: () => [],
    parse: (texts, cwd) => texts.map((text) => parse(text, cwd)),
  };
}

/** A setting that is on where it is named. */
export function toggle(): Spec<boolean> {
  return single("", "false", parseSwitch);
}

function once<T>(parse: ParseOne<T>): (texts: readonly string[], cwd: string) => T {
  return (texts, cwd) => {
    const [text, ...more] = texts;
    if (text === undefined || more.length > 0) throw new RangeError("must be given once");
    return parse(text, cwd);
  };
}

function parseSwitch(text: string): boolean {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw new RangeError("must be true or false");
}
