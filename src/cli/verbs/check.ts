import type { HealthFinding } from "../../api/layout-operations.ts";
import { EXIT } from "../exit-codes.ts";
import { paint, plain, type Screen } from "../screen.ts";
import { showList } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { tableAt, warnIfPart } from "./layout-at.ts";

const MEMBERS = "code severity message advice facts".split(" ");

/** `firn check TABLE`: what is wrong with its files, and what to do. Exit 1 where something is. */
export async function check({ words, format, screen, place }: VerbCall): Promise<number> {
  const { path } = await tableAt(place, words);
  let health = await place.client.call("getHealth", { path });
  // One request reads for some seconds; the next one goes on. A file that cannot be read ends it.
  for (let tries = 0; !health.complete && isReadable(health.findings) && tries < 30; tries++) {
    health = await place.client.call("getHealth", { path });
  }
  const { findings } = health;
  if (isReadable(findings)) warnIfPart(health, screen);
  if (format.form === "text" && screen.isTerminal) printFindings(findings, screen);
  else {
    await showList<HealthFinding>(
      {
        columns: [
          { header: "CODE", value: ({ code }) => code },
          { header: "SEVERITY", value: ({ severity }) => severity },
          { header: "MESSAGE", value: ({ message }) => message },
          { header: "ADVICE", value: ({ advice }) => advice },
          { header: "FACTS", value: factsText },
        ],
        pages: (async function* () {
          yield findings;
        })(),
        id: ({ code }) => code,
        members: MEMBERS,
        empty: "",
      },
      format,
      screen,
    );
  }
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}

function isReadable(findings: readonly HealthFinding[]): boolean {
  return findings.every(({ code }) => code !== "UNREADABLE_FILES");
}

function factsText({ facts }: HealthFinding): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

function printFindings(findings: readonly HealthFinding[], screen: Screen): void {
  if (findings.length === 0) screen.print(`${paint(screen, "green", "healthy")}\n`);
  for (const finding of findings) {
    const { code, severity, message, advice } = finding;
    const head = paint(screen, severity === "warning" ? "red" : "yellow", code);
    screen.print(`${head}  ${message}\n`);
    screen.print(`  ${paint(screen, "dim", plain(factsText(finding)))}\n  ${advice}\n`);
  }
}
