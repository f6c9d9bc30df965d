import { readFile } from "node:fs/promises";
import type { Clock } from "../base/clock.ts";
import type { ErrorContext } from "../base/error.ts";
import { invalid } from "../base/error.ts";
import { type Issuer, isSafeUrl, parseIssuers } from "../service/access/issuer-config.ts";
import type { IssuerTokens } from "../service/access/issuer-tokens.ts";
import type { OidcSignInParts } from "../service/access/oidc-sign-in.ts";
import { DEFAULT_ACCOUNT } from "../service/actor.ts";
import { boundedFetch, fetchTrouble } from "./bounded-fetch.ts";
import type { Settings } from "./settings.ts";

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
): Promise<{ readonly issuers: readonly Issuer[]; readonly tokens: IssuerTokens }> {
  const issuers = parseIssuers(await readJson(file));
  const { IssuerTokens } = await import("../service/access/issuer-tokens.ts");
  const onTrouble = (issuer: string, reason: string) =>
    warn("the keys of an issuer cannot be read: its new tokens are refused", { issuer, reason });
  const tokens = new IssuerTokens(issuers, { clock, fetch: fetchDocument, onTrouble });
  return { issuers, tokens };
}

/**
 * Shows that a subject is one of an issuer, for the account that every deployment begins with: an
 * administrator who can never sign in would lock everybody out.
 *
 * @throws FirnError `Invalid` `BOOTSTRAP_ADMIN_INVALID`.
 */
export function assertSignsIn(issuers: readonly Issuer[], external: string): void {
  const [name = ""] = external.split("/");
  const found = issuers.find((one) => one.name === name);
  if (found === undefined) {
    const message = "the file of --issuers has no issuer of the name that --bootstrap-admin gives";
    throw invalid("BOOTSTRAP_ADMIN_INVALID", message, { name });
  }
  const accounts = found.account === undefined ? [...found.accounts.values()] : [found.account];
  if (accounts.includes(DEFAULT_ACCOUNT)) return;
  const message = "no token of the issuer of --bootstrap-admin is for the account default";
  throw invalid("BOOTSTRAP_ADMIN_INVALID", message, { name });
}

/** What the settings say of the provider that signs browsers in. */
export type OidcSettings = Pick<
  Settings,
  "issuers" | "oidcIssuer" | "oidcClientId" | "oidcClientSecret" | "oidcScope"
>;

/** What signs browsers in, where the settings name a provider. @throws as `openIssuers`. */
export function oidcOf(
  { oidcIssuer: name, oidcClientId: clientId, ...settings }: OidcSettings,
  { issuers, tokens }: Awaited<ReturnType<typeof openIssuers>>,
  warn: IssuersParts["warn"],
): Omit<OidcSignInParts, "clock" | "prng" | "secrets" | "begin"> | undefined {
  if (name === undefined || clientId === undefined) return undefined;
  const found = issuers.find((one) => one.name === name);
  if (found === undefined) {
    const message = `the file of --issuers has no issuer of the name that --oidc-issuer gives`;
    throw invalid("ISSUERS_INVALID", message, { name });
  }
  const { issuer } = found;
  if (!isSafeUrl(issuer)) {
    const message = "an issuer that signs browsers in needs an https URL, or http on loopback";
    throw invalid("ISSUERS_INVALID", message, { name, issuer });
  }
  const { oidcClientSecret: clientSecret, oidcScope: scope } = settings;
  return {
    client: { name, issuer, clientId, clientSecret, scope },
    fetch: fetchDocument,
    post: postForm,
    verify: (token, nonce) => tokens.verifyIdToken(token, { name, clientId, nonce }),
    onTrouble: (reason) =>
      warn("the provider that signs browsers in cannot be used", { issuer: name, reason }),
  };
}

async function postForm(
  url: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  try {
    const { status, bytes } = await boundedFetch(url, DOCUMENT_BYTES, headers, form);
    if (status >= 500 || status === 429) throw new Error(`status ${status}`);
    return status === 200 ? JSON.parse(Buffer.from(bytes).toString("utf8")) : undefined;
  } catch (error) {
    throw new Error(fetchTrouble(error), { cause: error });
  }
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
