import { envOf, flagOf } from "./setting-names.ts";
import { SETTING_NAMES, SETTINGS } from "./settings.ts";

/** The settings as a Markdown table, for `docs/settings.md`. */
export function settingsMarkdown(): string {
  const rows = SETTING_NAMES.map((name) => {
    const { placeholder, fallbackText, doc, repeatable, secret } = SETTINGS[name];
    const flag = placeholder === "" ? flagOf(name) : `${flagOf(name)} ${placeholder}`;
    const fallback = fallbackText === "" ? "" : `\`${fallbackText}\``;
    const cells = [secret ? "" : `\`${flag}\``, `\`${envOf(name)}\``, `\`${name}\``, fallback];
    const text = repeatable ? `${doc} (repeatable; commas in the variable)` : doc;
    return [...cells, text].map((cell) => cell.replaceAll("|", "\\|")).join(" | ");
  });
  return [
    "| flag | environment | `Firn.open` field | default | meaning |",
    "|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
    "",
  ].join("\n");
}
