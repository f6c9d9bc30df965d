import { firstSession, INSTALL } from "../http/probes/first-session.ts";
import type { Settings } from "../runtime/settings.ts";

/** What a person sees who starts the server: where it is, and a first thing to paste. */
export function banner(url: string, version: string, settings: Settings): string {
  return `Firn ${version} serves ${url}

  Iceberg REST catalog  ${url}/iceberg
  warehouse             ${settings.warehouse}
  profile               ${profileText(settings)}

Try it: ${INSTALL}, then in Python

${firstSession(url)}
Ctrl-C stops it.
`;
}

function profileText({ profile }: Settings): string {
  return profile === "memory"
    ? "memory: tables vanish with this process, their files stay in the warehouse"
    : profile;
}
