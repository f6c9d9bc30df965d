import type { Found } from "../../api/resources.ts";
import { routeToFound } from "../route.ts";
import { Link } from "./link.tsx";

/** The name of something with all that is above it, joined by dots. */
export function fullName({ type, name, catalog, namespace = [] }: Found): string {
  const above = catalog === undefined ? [] : [catalog];
  return [...above, ...namespace, ...(type === "namespace" ? [] : [name])].join(".");
}

/** A link with the full name. Where there is too little room, what is above the name gives way. */
export function FullName({ found }: { readonly found: Found }) {
  const full = fullName(found);
  const at = full.length - (found.type === "namespace" ? 0 : found.name.length);
  return (
    <Link to={routeToFound(found)} class="path" label={full}>
      <span>{full.slice(0, at)}</span>
      <span>{full.slice(at)}</span>
    </Link>
  );
}
