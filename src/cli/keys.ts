import { FirnError } from "../base/error.ts";
import type { KeyAdmin } from "../http/admin/key-admin.ts";
import type { Settings } from "../runtime/settings.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { timeText } from "./housekeeping-text.ts";
import type { Output } from "./output.ts";
import { openOwnerPlace, printOwnerFailure } from "./owner-place.ts";
import type { ServerAt } from "./server-at.ts";

/** A line of `firn keys` or `firn access reset-admin`, as it was understood. */
export type KeysCommand = {
  /** A running server; or the store that settings name, with the deployment's secret. */
  readonly at: ServerAt | Settings;
  readonly json: boolean;
} & (
  | { readonly command: "list" | "rotate" }
  | { readonly command: "reset-admin"; readonly name: string; readonly keepsKeys: boolean }
);

/** Asks a server, or opens the store that no server owns. @returns the exit code. */
export async function keys(line: KeysCommand, output: Output): Promise<number> {
  try {
    const place = await openOwnerPlace(line.at, output);
    try {
      await run(line, place.keyAdmin, output);
      return 0;
    } finally {
      await place.close();
    }
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    printOwnerFailure(error, output);
    return exitCodeOf(error.kind);
  }
}

async function run(line: KeysCommand, keys: KeyAdmin, { print }: Output): Promise<void> {
  const { json } = line;
  switch (line.command) {
    case "list": {
      for (const each of await keys.signingKeys()) {
        const { kid, state, signsFromMs } = each;
        print(
          json
            ? `${JSON.stringify(each)}\n`
            : `${kid}  ${state.padEnd(10)}  signs from ${timeText(signsFromMs)}\n`,
        );
      }
      return;
    }
    case "rotate": {
      const made = await keys.rotateSigningKeys();
      const text = `key ${made.kid} signs from ${timeText(made.signsFromMs)}\n`;
      print(json ? `${JSON.stringify(made)}\n` : text);
      return;
    }
    case "reset-admin": {
      const made = await keys.resetAdmin(line.name, line.keepsKeys);
      const { principal, key, ended } = made;
      const gone = ended.length === 0 ? "" : `ended: ${ended.join(" ")}\n`;
      const text = `key of ${principal}, shown once: ${key}\n${gone}`;
      print(json ? `${JSON.stringify(made)}\n` : text);
      return;
    }
  }
}
