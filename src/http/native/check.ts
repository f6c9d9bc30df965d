import type { Schema } from "../../api/operation.ts";
import type { RequestProblem } from "./problems.ts";

/** Problems that one answer names; the rest of a hostile body is not looked at. */
const MAX_PROBLEMS = 64;
const DETAIL_CHARS = 256;

/** Says what is wrong with a value; nothing where it fits. */
export type Check = (value: unknown) => readonly RequestProblem[];

type Checks = (schema: Schema) => Check;
let loading: Promise<Checks> | undefined;
let loaded: Checks | undefined;

/** The compiler of checks. It is loaded with the first request that needs one, not at the start. */
export function loadChecks(): Checks | Promise<Checks> {
  loading ??= load();
  return loaded ?? loading;
}

async function load(): Promise<Checks> {
  const [{ Compile }, { Settings }] = await Promise.all([
    import("typebox/schema"),
    import("typebox/system"),
  ]);
  Settings.Set({ maxErrors: MAX_PROBLEMS });
  const compiled = new WeakMap<Schema, Check>();
  loaded = (schema) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const validator = Compile(schema as object);
    const check: Check = (value) => {
      if (validator.Check(value)) return [];
      return problemsOf(validator.Errors(value)[1]);
    };
    compiled.set(schema, check);
    return check;
  };
  return loaded;
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** One for each place and rule; those that only sum up others are left out. */
function problemsOf(errors: readonly SchemaError[]): readonly RequestProblem[] {
  const found = new Map<string, RequestProblem>();
  const add = (pointer: string, code: string, detail: string): void => {
    const key = `${pointer} ${code}`;
    if (found.has(key) || found.size >= MAX_PROBLEMS) return;
    found.set(key, { pointer: cut(pointer), code, detail: cut(detail) });
  };
  for (const { keyword, instancePath, params, message } of errors) {
    if (keyword === "required" && "requiredProperties" in params) {
      for (const name of params.requiredProperties as readonly string[]) {
        add(`${instancePath}/${escapePointer(name)}`, "MEMBER_MISSING", "is required");
      }
    } else if (keyword === "boolean") {
      add(instancePath, "MEMBER_UNKNOWN", "is not a member of this object");
    } else if (keyword !== "additionalProperties" && keyword !== "anyOf") {
      add(instancePath, "VALUE_INVALID", message);
    }
  }
  const all = [...found.values()];
  return all.length > 0 ? all : [{ pointer: "", code: "VALUE_INVALID", detail: "does not fit" }];
}

function cut(text: string): string {
  return text.slice(0, DETAIL_CHARS);
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
