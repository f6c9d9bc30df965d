import { firstSession, INSTALL } from "../http/probes/first-session.ts";
import type { Settings } from "../runtime/settings.ts";

/** What a person sees who starts the server: where it is, and a first thing to paste. */
export function banner(
  url: string,
  version: string,
  settings: Settings,
  postgres?: string,
): string {
  return `Firn ${version} serves ${url}

  Iceberg REST catalog  ${url}/iceberg
  console               ${url}/console/
  warehouse             ${settings.warehouse}
  profile               ${profileText(settings)}
  PostgreSQL            ${postgres ?? "not served"}

Try it: ${INSTALL}, then in Python

${firstSession(url)}
Ctrl-C stops it.
`;
}

/** The key of the first administrator. Nothing keeps it: this is the only time it is shown. */
export function firstKey(key: string): string {
  return `First start: created principal admin. Store its API key now, it is not shown again:

  ${key}

`;
}

function profileText({ profile }: Settings): string {
  return profile === "memory"
    ? "memory: tables vanish with this process, their files stay in the warehouse"
    : profile;
}
