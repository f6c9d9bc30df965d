import { resolve } from "node:path";
import type { Command } from "commander";
import { FirnError } from "../base/error.ts";
import { envOf, flagOf } from "../runtime/setting-names.ts";
import type { SettingName, Settings } from "../runtime/settings.ts";
import { contextNamed, readContexts } from "./contexts.ts";
import {
  HOUSEKEEPING_FLAGS,
  NO_SECRET,
  optionOf,
  type SettingsContext,
  settingsOf,
} from "./setting-options.ts";

/** What a command asks: a server, or the store that settings name. */
export type Where =
  | { readonly kind: "url"; readonly url: string; readonly token: string | undefined }
  | { readonly kind: "store"; readonly settings: Settings };

type Values = Readonly<Record<string, unknown>>;

/** Variables that name a store, which a context does not override. */
const STORE_VARIABLES: readonly string[] = ["profile", "dir", "s3Bucket", "dynamodbTable"].map(
  (name) => envOf(name as SettingName),
);

const WHERE_HELP = `
Where: --url or --context; the store of --dir, --profile …; FIRN_URL; FIRN_CONTEXT;
FIRN_DIR, FIRN_PROFILE …; the current context (firn context use); ./.firn.
A store is asked through the server that owns it. If none runs, this command opens it.
FIRN_TOKEN is sent to a URL as a bearer token.`;

/** Lets a command say where the catalog is. An option that it has already stays its own. */
export function addWhere(command: Command): void {
  const own = new Set(command.options.map(({ long }) => long));
  command
    .option("--url <url>", "a server, such as http://127.0.0.1:8181 [FIRN_URL]")
    .option("--context <name>", "a context of firn context [FIRN_CONTEXT]");
  for (const name of HOUSEKEEPING_FLAGS) {
    if (own.has(flagOf(name))) continue;
    const option = optionOf(name);
    command.addOption(name === "dir" ? option : option.hideHelp());
  }
  command.addHelpText("after", WHERE_HELP);
}

/**
 * Where a line is to ask.
 *
 * @returns undefined after printing problems of the settings.
 * @throws FirnError `WHERE_INVALID`, `URL_INVALID`, `CONTEXT_NOT_FOUND`, `CONTEXTS_INVALID`.
 */
export async function whereOf(
  values: Values,
  context: SettingsContext,
): Promise<Where | undefined> {
  const { env } = context;
  const store = HOUSEKEEPING_FLAGS.filter((name) => values[name] !== undefined);
  const named = ["url", "context"].filter((name) => values[name] !== undefined);
  if (named.length + Math.min(store.length, 1) > 1) {
    const given = [...named.map((name) => `--${name}`), ...store.map(flagOf)].join(" ");
    const message = "give --url, or --context, or the flags of a store, not several of them";
    throw new FirnError("Invalid", "WHERE_INVALID", message, { given });
  }
  if (values["url"] !== undefined) return at(String(values["url"]), env);
  if (values["context"] !== undefined) return inContext(String(values["context"]), context);
  if (store.length > 0) return storeOf(values, context);
  if (isSet(env["FIRN_URL"])) return at(env["FIRN_URL"], env);
  if (isSet(env["FIRN_CONTEXT"])) return inContext(env["FIRN_CONTEXT"], context);
  if (STORE_VARIABLES.some((name) => isSet(env[name]))) return storeOf({}, context);
  const { current } = await readContexts(env);
  return current === undefined ? storeOf({}, context) : inContext(current, context);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

/** The origin of a URL, and a path before `/api` where a proxy has one. */
export function serverUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    const message = "not the URL of a server: give one such as http://127.0.0.1:8181";
    throw new FirnError("Invalid", "URL_INVALID", message, { url: text.slice(0, 256) });
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function at(text: string, env: SettingsContext["env"]): Where {
  const token = env["FIRN_TOKEN"];
  return { kind: "url", url: serverUrl(text), token: isSet(token) ? token : undefined };
}

async function inContext(name: string, context: SettingsContext): Promise<Where | undefined> {
  const { url, dir } = contextNamed(await readContexts(context.env), name);
  if (url !== undefined) return at(url, context.env);
  return storeOf({ dir: resolve(dir ?? ".firn"), profile: "local" }, context);
}

function storeOf(values: Values, context: SettingsContext): Where | undefined {
  const flags = Object.fromEntries(HOUSEKEEPING_FLAGS.map((name) => [name, values[name]]));
  const settings = settingsOf(flags, [], [NO_SECRET], context);
  return settings && { kind: "store", settings };
}
