import { invalid } from "../../base/error.ts";
import type { Properties } from "../requests.ts";

/** A merge patch (RFC 7396) of what an update may change: members that are absent stay. */
export interface Patch {
  readonly description?: string;
  readonly protected?: boolean;
  /** Null removes a property. */
  readonly properties?: Readonly<Record<string, string | null>>;
}

interface Patched {
  readonly description: string;
  readonly protected: boolean;
  readonly properties: Properties;
}

const PROPERTY = "properties.";

/**
 * The part of a patch that a mask names: members, or single properties as `properties.key`.
 *
 * @throws FirnError `Invalid` `UPDATE_MASK_INVALID`: it names what the patch does not have.
 */
export function masked<P extends Patch>(patch: P, mask: readonly string[] | undefined): P {
  if (mask === undefined) return patch;
  const { properties = {} } = patch;
  const members: Record<string, unknown> = {};
  const keys: Record<string, string | null> = {};
  for (const path of mask) {
    const key = path.startsWith(PROPERTY) ? path.slice(PROPERTY.length) : undefined;
    if (key !== undefined && Object.hasOwn(properties, key)) keys[key] = properties[key] ?? null;
    else if (key === undefined && Object.hasOwn(patch, path)) {
      members[path] = patch[path as keyof P];
    } else {
      const message = "invalid updateMask: it names a member that the body does not have";
      throw invalid("UPDATE_MASK_INVALID", message, { path: path.slice(0, 256) });
    }
  }
  const isWhole = members["properties"] !== undefined || Object.keys(keys).length === 0;
  return (isWhole ? members : { ...members, properties: keys }) as P;
}

/** What a patch makes of an entity; undefined where that is what it is already. */
export function patched<E extends Patched>(entity: E, patch: Patch): E | undefined {
  const { description = entity.description, protected: isProtected = entity.protected } = patch;
  const properties = mergedProperties(entity.properties, patch.properties);
  const isSame =
    description === entity.description &&
    isProtected === entity.protected &&
    properties === entity.properties;
  return isSame ? undefined : { ...entity, description, protected: isProtected, properties };
}

/** The same object where nothing changes. */
export function mergedProperties(before: Properties, patch: Patch["properties"] = {}): Properties {
  const changed = Object.entries(patch).filter(([key, value]) =>
    value === null ? Object.hasOwn(before, key) : before[key] !== value,
  );
  if (changed.length === 0) return before;
  const after = new Map(Object.entries(before));
  for (const [key, value] of changed) {
    if (value === null) after.delete(key);
    else after.set(key, value);
  }
  return Object.fromEntries(after);
}
