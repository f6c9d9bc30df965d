import { readFile } from "node:fs/promises";
import { FirnError } from "../base/error.ts";
import type { ConsoleFile } from "../http/console/protocol.ts";

/** Where a build of the console lies: beside the code of a package, or in `dist/` of a clone. */
const PLACES = ["../console/", "../../dist/console/"];

/** @throws FirnError `NotFound` `CONSOLE_NOT_BUILT`. */
export async function readConsoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  for (const place of PLACES) {
    const at = new URL(place, import.meta.url);
    const list = await readFile(new URL("files.json", at), "utf8").catch(() => undefined);
    if (list === undefined) continue;
    const named = JSON.parse(list) as readonly { readonly name: string; readonly type: string }[];
    const files = await Promise.all(
      named.map(async ({ name, type }) => {
        const [plain, gzip, brotli] = await Promise.all(
          ["", ".gz", ".br"].map((form) => readFile(new URL(`${name}${form}`, at))),
        );
        return [name, { type, plain, gzip, brotli } as ConsoleFile] as const;
      }),
    );
    return new Map(files);
  }
  const message = "the console is not built: run npm run build:console";
  throw new FirnError("NotFound", "CONSOLE_NOT_BUILT", message);
}
