import { resolve } from "node:path";
import { FirnError } from "../../base/error.ts";
import {
  type Contexts,
  checkContextName,
  contextNamed,
  readContexts,
  writeContexts,
} from "../contexts.ts";
import { EXIT } from "../exit-codes.ts";
import type { Screen } from "../screen.ts";
import type { SettingsContext } from "../setting-options.ts";
import { type Format, showList } from "../show.ts";
import { serverUrl } from "../where.ts";

interface ContextParts {
  readonly settings: SettingsContext;
  readonly screen: Screen;
  readonly format: Format;
}

type Values = Readonly<Record<string, unknown>>;

/** Runs `firn context list`, `set`, `use`, `delete`. */
export async function runContext(
  [action = "list", name = ""]: readonly string[],
  values: Values,
  { settings, screen, format }: ContextParts,
): Promise<number> {
  const { env, cwd } = settings;
  const known = await readContexts(env);
  switch (action) {
    case "list":
      await list(known, format, screen);
      return EXIT.ok;
    case "set": {
      checkContextName(name);
      const contexts = { ...known.contexts, [name]: placeOf(values, cwd) };
      // The first one is what commands are to ask.
      await writeContexts(env, { current: known.current ?? name, contexts });
      screen.printError(`context ${name} is set\n`);
      return EXIT.ok;
    }
    case "use":
      contextNamed(known, name);
      await writeContexts(env, { ...known, current: name });
      screen.printError(`commands now ask ${name}\n`);
      return EXIT.ok;
    default: {
      contextNamed(known, name);
      const { [name]: _gone, ...contexts } = known.contexts;
      const current = known.current === name ? {} : { current: known.current };
      await writeContexts(env, { ...(current as Contexts), contexts });
      screen.printError(`context ${name} is deleted\n`);
      return EXIT.ok;
    }
  }
}

/** @throws FirnError `CONTEXT_INVALID`, `URL_INVALID`. */
function placeOf({ url, dir }: Values, cwd: string): { url: string } | { dir: string } {
  if ((url === undefined) === (dir === undefined)) {
    const message = "a context is one place: give --url or --dir";
    throw new FirnError("Invalid", "CONTEXT_INVALID", message);
  }
  return url === undefined ? { dir: resolve(cwd, String(dir)) } : { url: serverUrl(String(url)) };
}

async function list(known: Contexts, format: Format, screen: Screen): Promise<void> {
  const items = Object.entries(known.contexts).map(([name, at]) => ({
    name,
    current: name === known.current,
    ...at,
  }));
  type Item = (typeof items)[number];
  const listing = {
    columns: [
      { header: "", value: (item: Item) => (item.current ? "*" : "") },
      { header: "NAME", value: (item: Item) => item.name },
      { header: "PLACE", value: (item: Item) => item.url ?? item.dir ?? "" },
    ],
    pages: (async function* () {
      yield items;
    })(),
    id: (item: Item) => item.name,
    members: ["name", "current", "url", "dir"],
    empty: "no contexts: firn context set NAME --url URL makes one",
  };
  await showList(listing, format, screen);
}
