import { readFile } from "node:fs/promises";
import type { Clock } from "../base/clock.ts";
import type { ErrorContext } from "../base/error.ts";
import { invalid } from "../base/error.ts";
import type { ForeignTokens } from "../service/access/authenticator.ts";
import { parseIssuers } from "../service/access/issuer-config.ts";
import { boundedFetch, fetchTrouble } from "./bounded-fetch.ts";

/** A set of keys, or a discovery document. */
const DOCUMENT_BYTES = 65_536;

export interface IssuersParts {
  readonly clock: Clock;
  readonly warn: (text: string, facts: ErrorContext) => void;
}

/**
 * The issuers of a file. Their keys are fetched when a token of theirs comes.
 *
 * @throws FirnError `Invalid` `ISSUERS_INVALID`.
 */
export async function openIssuers(
  file: string,
  { clock, warn }: IssuersParts,
): Promise<ForeignTokens> {
  const issuers = parseIssuers(await readJson(file));
  const { IssuerTokens } = await import("../service/access/issuer-tokens.ts");
  const onTrouble = (issuer: string, reason: string) =>
    warn("the keys of an issuer cannot be read: its new tokens are refused", { issuer, reason });
  return new IssuerTokens(issuers, { clock, fetch: fetchDocument, onTrouble });
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is not JSON" : fetchTrouble(error);
    const message = `the file of --issuers cannot be read: ${reason}`;
    throw invalid("ISSUERS_INVALID", message, { file });
  }
}

async function fetchDocument(url: string, tokenFile: string | undefined): Promise<unknown> {
  // The file's owner renews it.
  const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, "utf8")).trim();
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  try {
    const { status, bytes } = await boundedFetch(url, DOCUMENT_BYTES, headers);
    if (status !== 200) throw new Error(`status ${status}`);
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (error) {
    throw new Error(fetchTrouble(error), { cause: error });
  }
}
