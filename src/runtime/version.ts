import { readFileSync } from "node:fs";

/** The version in the package's `package.json`, two folders up in a clone and when packed. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const parsed: unknown = JSON.parse(text);
  const version =
    typeof parsed === "object" && parsed !== null && "version" in parsed ? parsed.version : "";
  return String(version);
}
