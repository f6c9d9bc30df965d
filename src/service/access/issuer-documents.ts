/** Below the URL of an issuer: where its keys and endpoints are (OpenID Connect Discovery, 4). */
export const DISCOVERY = "/.well-known/openid-configuration";

/** A member of what may be an object. */
export function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null;
  return isObject ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
