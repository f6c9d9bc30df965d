import { notSupported, SqlError } from "../error.ts";
import { ruleOf, SETTING_RULES, type SettingRule } from "./setting-table.ts";

type Values = ReadonlyMap<string, string>;

/**
 * The run-time parameters of one session. What a transaction sets is undone with it; `SET LOCAL`
 * ends with it.
 */
export class SessionSettings {
  /** Told of each change of a parameter that clients are told of. */
  onReport: (name: string, value: string) => void = () => {};
  readonly #defaults: Values;
  #values: Values = new Map();
  #locals: Values = new Map();
  #before: Values | undefined;
  /** Counts changes, for who keeps what follows from a value. */
  version = 0;

  /** @param given what replaces defaults: by the server, or by the client's startup packet. */
  constructor(given: ReadonlyMap<string, string>) {
    const defaults = new Map<string, string>();
    for (const [name, value] of given) {
      const rule = ruleOf(name);
      defaults.set(rule.name, rule.check?.(value) ?? value);
    }
    this.#defaults = defaults;
  }

  get(name: string): string {
    const { name: key, fallback } = ruleOf(name);
    return this.#locals.get(key) ?? this.#values.get(key) ?? this.#defaults.get(key) ?? fallback;
  }

  /** Whether a parameter with a point was ever set. */
  isKnown(name: string): boolean {
    const { name: key } = ruleOf(name);
    const isOwn = SETTING_RULES.some((rule) => rule.name === key);
    return isOwn || this.#locals.has(key) || this.#values.has(key) || this.#defaults.has(key);
  }

  /** @throws SqlError 42704, 22023, 55P02. */
  set(name: string, value: string | undefined, isLocal: boolean): void {
    const rule = ruleOf(name);
    // Nothing has changed a value that cannot be: it is already what RESET would make it.
    if (rule.isFixed && value === undefined) return;
    if (rule.name === "session_authorization") {
      if (value === this.get(rule.name)) return;
      throw notSupported(
        "SET SESSION AUTHORIZATION",
        "Use SET ROLE, or sign in as the other user.",
      );
    }
    if (rule.isFixed) {
      throw new SqlError("55P02", `parameter "${rule.name}" cannot be changed`);
    }
    const checked = value === undefined ? undefined : (rule.check?.(value) ?? value);
    this.#change(() => {
      this.#locals = changed(this.#locals, rule, isLocal ? checked : undefined);
      if (!isLocal) this.#values = changed(this.#values, rule, checked);
    });
  }

  resetAll(): void {
    this.#change(() => {
      this.#locals = new Map();
      this.#values = new Map();
    });
  }

  /** Names and values that the client is told at the start. */
  reported(): (readonly [string, string])[] {
    return SETTING_RULES.filter((rule) => rule.isReported).map(({ name }) => [
      name,
      this.get(name),
    ]);
  }

  all(): (readonly [string, string])[] {
    return SETTING_RULES.map(({ name }) => [name, this.get(name)]);
  }

  /** A transaction begins. */
  begin(): void {
    this.#before = this.#values;
  }

  /** It ends. */
  end(isCommitted: boolean): void {
    const before = this.#before;
    this.#before = undefined;
    if (before === undefined) return;
    if (this.#locals.size === 0 && (isCommitted || before === this.#values)) return;
    this.#change(() => {
      this.#locals = new Map();
      if (!isCommitted) this.#values = before;
    });
  }

  /** What a savepoint goes back to. */
  mark(): () => void {
    const [values, locals] = [this.#values, this.#locals];
    return () => {
      if (values === this.#values && locals === this.#locals) return;
      this.#change(() => {
        this.#values = values;
        this.#locals = locals;
      });
    };
  }

  #change(change: () => void): void {
    const before = this.reported();
    change();
    this.version++;
    const after = this.reported();
    for (const [index, [name, value]] of after.entries()) {
      if (before[index]?.[1] !== value) this.onReport(name, value);
    }
  }
}

function changed(values: Values, { name }: SettingRule, value: string | undefined): Values {
  if (value === undefined && !values.has(name)) return values;
  const next = new Map(values);
  if (value === undefined) next.delete(name);
  else next.set(name, value);
  return next;
}
