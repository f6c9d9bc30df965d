import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FirnError } from "../base/error.ts";
import { nearest } from "../runtime/nearest.ts";

/** A server or a store under a name, so that commands need not repeat where it is. */
export interface Context {
  readonly url?: string;
  /** Absolute. */
  readonly dir?: string;
}

export interface Contexts {
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const NONE: Contexts = { contexts: {} };
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** It names servers, which is the user's own business. */
const PRIVATE_FILE = 0o600;

/** The file of a user's contexts, as the XDG base directory specification places it. */
export function contextsFile(env: Env): string | undefined {
  const { XDG_CONFIG_HOME: config, HOME: home, APPDATA: roaming } = env;
  if (config !== undefined && config !== "") return join(config, "firn", "contexts.json");
  if (home !== undefined && home !== "") return join(home, ".config", "firn", "contexts.json");
  return roaming === undefined || roaming === ""
    ? undefined
    : join(roaming, "firn", "contexts.json");
}

/** @throws FirnError `CONTEXTS_INVALID`: the file is not what `writeContexts` writes. */
export async function readContexts(env: Env): Promise<Contexts> {
  const file = contextsFile(env);
  if (file === undefined) return NONE;
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return NONE;
    throw unreadable(file, error);
  }
  try {
    const parsed = JSON.parse(text) as Contexts;
    if (typeof parsed.contexts === "object" && parsed.contexts !== null) return parsed;
  } catch (error) {
    throw unreadable(file, error);
  }
  throw unreadable(file, undefined);
}

/** Replaces the file at once, so that a command beside it reads the old or the new one. */
export async function writeContexts(env: Env, contexts: Contexts): Promise<void> {
  const file = contextsFile(env);
  if (file === undefined) {
    throw new FirnError("Invalid", "CONTEXTS_INVALID", "no home directory: set HOME");
  }
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  const text = `${JSON.stringify(contexts, undefined, 2)}\n`;
  await writeFile(temporary, text, { mode: PRIVATE_FILE });
  await rename(temporary, file);
}

/** @throws FirnError `NotFound`, code `CONTEXT_NOT_FOUND`. */
export function contextNamed({ contexts }: Contexts, name: string): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  const near = nearest(name, Object.keys(contexts));
  throw new FirnError("NotFound", "CONTEXT_NOT_FOUND", "no such context: see firn context list", {
    name,
    ...(near !== undefined && { nearest: near }),
  });
}

/** @throws FirnError `Invalid`, code `CONTEXT_NAME_INVALID`. */
export function checkContextName(name: string): void {
  if (NAME.test(name)) return;
  const message = "not a name for a context: use letters, digits and . _ -";
  throw new FirnError("Invalid", "CONTEXT_NAME_INVALID", message, { name: name.slice(0, 64) });
}

function unreadable(file: string, cause: unknown): FirnError {
  const message = "cannot read the contexts: correct the file or delete it";
  return new FirnError("Invalid", "CONTEXTS_INVALID", message, { file }, cause);
}
