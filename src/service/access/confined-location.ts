import { FirnError } from "../../base/error.ts";
import { isWithin, type Locations } from "../../blob/locations.ts";
import { type CatalogPlaces, WRITE_PATHS } from "../table-locations.ts";

/*
 * Credentials and signatures reach files by their paths. They are given only where the paths of a
 * table are its own: everything that it writes lies below its location, and nothing else can.
 */

/** A table as its metadata says where it lies. */
export interface LocatedTable {
  readonly location: string;
  readonly properties: ReadonlyMap<string, string>;
}

/** Where all files of a table in S3 lie; undefined where they can lie elsewhere. */
export function confinedLocation(
  locations: Locations,
  { location: given, properties }: LocatedTable,
): string | undefined {
  if (!/^s3[an]?:/i.test(given)) return undefined;
  const location = locations.normalize(given);
  if (locations.holdsReserved(location)) return undefined;
  for (const property of WRITE_PATHS) {
    const path = properties.get(property);
    if (path !== undefined && !isInside(locations, path, location)) return undefined;
  }
  return location;
}

function isInside(locations: Locations, path: string, location: string): boolean {
  try {
    return isWithin(locations.normalize(path), location);
  } catch (error) {
    if (error instanceof FirnError) return false;
    throw error;
  }
}

/** Whether nothing else can lie at, above or below a location that one of its tables holds. */
export function isApart(places: CatalogPlaces, location: string): boolean {
  if (places.overlaps) return false;
  try {
    return places.allowed(location) === location;
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Invalid") return false;
    throw error;
  }
}
