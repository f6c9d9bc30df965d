import type { JsonValue } from "../base/json.ts";
import { asString, fieldInvalid } from "../base/json-read.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The value as a UUID: the catalog keeps its 16 bytes. */
export function asUuid(value: JsonValue | undefined, at: string): string {
  const uuid = asString(value, at);
  if (!UUID.test(uuid)) throw fieldInvalid(at, "a uuid");
  return uuid;
}
