export type Properties = Readonly<Record<string, string>>;
/** What changes: null for what shall be gone. */
export type PropertiesChange = Readonly<Record<string, string | null>>;

/** One line of a form: a property as it stands there. */
export interface PropertyLine {
  readonly name: string;
  readonly value: string;
}

/**
 * What leads from one set of properties to the lines of a form: nothing for what stays.
 *
 * @throws RangeError for a name that is empty or stands there twice.
 */
export function changeTo(before: Properties, lines: readonly PropertyLine[]): PropertiesChange {
  const after = new Map<string, string>();
  for (const { name, value } of lines) {
    if (name === "") throw new RangeError("a property has no name");
    if (after.has(name)) throw new RangeError(`the property ${name} is there twice`);
    after.set(name, value);
  }
  const gone = Object.keys(before).filter((name) => !after.has(name));
  const set = [...after].filter(
    ([name, value]) => !Object.hasOwn(before, name) || before[name] !== value,
  );
  return Object.fromEntries([...gone.map((name) => [name, null] as const), ...set]);
}
