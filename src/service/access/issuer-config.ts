import { type FirnError, invalid } from "../../base/error.ts";
import { isLoopbackHost } from "../../base/loopback.ts";

/*
 * Issuers of tokens that the operator trusts: OpenID Connect providers and Kubernetes clusters. No
 * API changes them: who adds an issuer can become any of its principals.
 */

/** Signatures by private keys alone: with a shared secret everybody who verifies could sign. */
export const SIGNATURES = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;
export type Signature = (typeof SIGNATURES)[number];

const BY_DEFAULT: readonly Signature[] = ["RS256", "ES256"];
const ISSUERS = 64;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Their owners can change them, or give them up to another user. */
const REUSED_CLAIMS: ReadonlySet<string> = new Set([
  "email",
  "name",
  "nickname",
  "phone_number",
  "preferred_username",
  "unique_name",
  "upn",
  "username",
]);

/** One issuer, as configured. */
export interface Issuer {
  /** Begins the names of its principals and of the roles that it names. */
  readonly name: string;
  /** The exact `iss` of its tokens. */
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Where its keys are; absent: as its discovery document says. */
  readonly jwksUri: string | undefined;
  /** A file with the bearer token that its keys are asked for with. */
  readonly tokenFile: string | undefined;
  readonly algorithms: readonly Signature[];
  readonly subjectClaim: string;
  /** Names within names are separated by dots. */
  readonly rolesClaim: string | undefined;
  /** The account of all its principals; absent: as a claim says. */
  readonly account: string | undefined;
  readonly accountClaim: string | undefined;
  /** From values of the claim to accounts. */
  readonly accounts: ReadonlyMap<string, string>;
}

const MEMBERS: ReadonlySet<string> = new Set([
  "name",
  "issuer",
  "audiences",
  "jwksUri",
  "tokenFile",
  "algorithms",
  "subjectClaim",
  "rolesClaim",
  "account",
  "accountClaim",
  "accounts",
]);

function refuse(why: string): FirnError {
  return invalid("ISSUERS_INVALID", `invalid file of --issuers: ${why}`, { why });
}

/**
 * The issuers of a configuration file, whose JSON this is.
 *
 * @throws FirnError `Invalid` `ISSUERS_INVALID`.
 */
export function parseIssuers(json: unknown): readonly Issuer[] {
  if (!Array.isArray(json) || json.length === 0 || json.length > ISSUERS) {
    throw refuse(`it must be a JSON array of 1 to ${ISSUERS} issuers`);
  }
  const issuers = json.map((entry, i) => parseIssuer(entry, `entry ${i + 1}`));
  for (const key of ["name", "issuer"] as const) {
    const values = issuers.map((each) => each[key]);
    const twice = values.find((value, i) => values.indexOf(value) < i);
    if (twice !== undefined) throw refuse(`two entries have the ${key} ${twice}`);
  }
  return issuers;
}

function parseIssuer(entry: unknown, where: string): Issuer {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    throw refuse(`${where} must be an object`);
  }
  const members = entry as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(members).find((key) => !MEMBERS.has(key));
  if (unknown !== undefined) throw refuse(`${where}: unknown member ${unknown}`);
  const text = (key: string): string | undefined => {
    const value = members[key];
    if (value === undefined || (typeof value === "string" && value !== "")) return value;
    throw refuse(`${where}: ${key} must be text`);
  };
  const name = text("name") ?? "";
  if (!NAME.test(name)) throw refuse(`${where}: name must be 1 to 64 of A-Z a-z 0-9 _ -`);
  const issuer = text("issuer");
  if (issuer === undefined) throw refuse(`${where}: issuer is missing`);
  const jwksUri = text("jwksUri");
  if (!isSafeUrl(jwksUri ?? issuer)) {
    const which = jwksUri === undefined ? "issuer, or jwksUri," : "jwksUri";
    throw refuse(`${where}: ${which} must be an https URL, or http on loopback`);
  }
  const subjectClaim = text("subjectClaim") ?? "sub";
  if (REUSED_CLAIMS.has(subjectClaim)) {
    throw refuse(`${where}: ${subjectClaim} can pass to another user: use sub, or oid of Entra`);
  }
  return {
    name,
    issuer,
    audiences: textsIn(members["audiences"], `${where}: audiences`),
    jwksUri,
    tokenFile: text("tokenFile"),
    algorithms: signaturesIn(members["algorithms"], where),
    subjectClaim,
    rolesClaim: text("rolesClaim"),
    ...accountIn(members, text, where),
  };
}

function accountIn(
  members: Readonly<Record<string, unknown>>,
  text: (key: string) => string | undefined,
  where: string,
): Pick<Issuer, "account" | "accountClaim" | "accounts"> {
  const account = text("account");
  const accountClaim = text("accountClaim");
  const accounts = new Map<string, string>();
  if ((account === undefined) === (accountClaim === undefined)) {
    throw refuse(`${where}: give either account, or accountClaim with accounts`);
  }
  const map = members["accounts"];
  if ((accountClaim === undefined) !== (map === undefined)) {
    throw refuse(`${where}: accounts maps the values of accountClaim to accounts`);
  }
  if (map === undefined) return { account, accountClaim, accounts };
  if (typeof map !== "object" || map === null || Array.isArray(map)) {
    throw refuse(`${where}: accounts must be an object`);
  }
  for (const [value, target] of Object.entries(map)) {
    if (typeof target !== "string" || target === "") {
      throw refuse(`${where}: accounts must map to names of accounts`);
    }
    accounts.set(value, target);
  }
  return { account, accountClaim, accounts };
}

function textsIn(value: unknown, what: string): readonly string[] {
  const isList = Array.isArray(value) && value.length > 0;
  if (isList && value.every((each) => typeof each === "string" && each !== "")) return value;
  throw refuse(`${what} must be a list of texts, one at least`);
}

function signaturesIn(value: unknown, where: string): readonly Signature[] {
  if (value === undefined) return BY_DEFAULT;
  const names: readonly string[] = SIGNATURES;
  const texts = textsIn(value, `${where}: algorithms`);
  const other = texts.find((text) => !names.includes(text));
  if (other === undefined) return texts as readonly Signature[];
  throw refuse(`${where}: algorithm ${other} is not one of ${names.join(", ")}`);
}

/** Whether keys that come from there can be trusted to be its owner's. */
export function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}
