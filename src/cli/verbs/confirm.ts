import { FirnError } from "../../base/error.ts";
import type { Screen } from "../screen.ts";

/**
 * Asks for the name of what is dropped.
 *
 * @returns whether it was typed again.
 * @throws FirnError `Invalid`, code `CONFIRMATION_NEEDED`: none is there to ask.
 */
export async function confirm(name: string, isAgreed: boolean, screen: Screen): Promise<boolean> {
  if (isAgreed) return true;
  const answer = await screen.ask(`Type the name to drop ${name}: `);
  if (answer === undefined) {
    const message = "a drop asks for the name, and no terminal is here to ask: give --yes";
    throw new FirnError("Invalid", "CONFIRMATION_NEEDED", message, { name });
  }
  if (answer.trim() === name) return true;
  screen.printError("firn: another name was typed: nothing was dropped\n");
  return false;
}
