import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { ROOT } from "../tools.ts";
import type { Generated } from "./generated.ts";

export interface ErrorUse {
  readonly code: string;
  readonly kind: string;
  /** The text as it stands in the source; interpolations shown as `…`. */
  readonly message: string;
  /** Relative to `src/`. */
  readonly file: string;
}

const TEXT = String.raw`(?:"(?:[^"\\]|\\.)*"|${"`(?:[^`\\\\]|\\\\.)*`"})`;
/** A text, perhaps in several pieces. */
const WHOLE = String.raw`${TEXT}(?:\s*\+\s*${TEXT})*`;
const HELPERS = String.raw`\b(?:invalid|modelInvalid|staleCommit)\(\s*`;
const RAISED = String.raw`new FirnError\(\s*"(\w+)",\s*|${HELPERS}`;
const THROWN = new RegExp(String.raw`(?:${RAISED})"([A-Z][A-Z0-9_]+)",\s*(${WHOLE}|\w+)?`, "g");
const PIECES = new RegExp(TEXT, "g");

/** The pieces of a text as one, with `…` for what is filled in. */
function plain(text: string): string {
  const pieces = [...text.matchAll(PIECES)].map(([piece]) => piece.slice(1, -1));
  return pieces.join("").replace(/\$\{[^}]*\}/g, "…");
}

/** The text that a constant was given last before a place; nothing where it was given none. */
function constantBefore(source: string, name: string, end: number): string {
  const given = new RegExp(String.raw`\bconst ${name} =\s*(${WHOLE});`, "g");
  return [...source.slice(0, end).matchAll(given)].at(-1)?.[1] ?? "";
}

/** The codes of a part of the model are a type, and many are handed on by name. */
const MODEL_CODE = /^ {2}\| "([A-Z][A-Z_]+)"/gm;

/** Every error that a source text raises with its code spelt out. */
export function errorUses(text: string, file: string): readonly ErrorUse[] {
  const typed = text.includes("export type ModelCode =") ? [...text.matchAll(MODEL_CODE)] : [];
  const named = typed.map(([, code = ""]) => ({ code, kind: "Invalid", message: "", file }));
  const raised = [...text.matchAll(THROWN)].map((match) => ({
    kind: match[1] ?? (match[0].startsWith("stale") ? "Conflict" : "Invalid"),
    code: match[2] ?? "",
    message: plain(
      /^\w+$/.test(match[3] ?? "")
        ? constantBefore(text, match[3] ?? "", match.index)
        : (match[3] ?? ""),
    ),
    file,
  }));
  return [...named, ...raised];
}

/** One line a code, with every kind, folder and wording it is raised with. */
export function renderErrors(uses: readonly ErrorUse[]): string {
  const byCode = new Map<string, ErrorUse[]>();
  for (const use of uses) byCode.set(use.code, [...(byCode.get(use.code) ?? []), use]);
  const lines = [...byCode.keys()].sort().map((code) => {
    const found = byCode.get(code) ?? [];
    const joined = (texts: readonly string[], by: string): string =>
      [...new Set(texts)].sort().join(by).replaceAll("|", "\\|");
    const kinds = joined(
      found.map((use) => use.kind),
      ", ",
    );
    const messages = joined(
      found.map((use) => use.message).filter((message) => message !== ""),
      "; ",
    );
    const files = joined(
      found.map((use) => `\`${use.file}\``),
      ", ",
    );
    return `| \`${code}\` | ${kinds} | ${messages} | ${files} |`;
  });
  return [
    "# Error codes",
    "",
    "<!-- Generated from the source by `npm run gen`; do not edit. -->",
    "",
    "Every failure carries a stable `code` (in the header `X-Firn-Error` of an HTTP answer) and a",
    "kind, which says what the caller should do next (`src/base/error.ts`). The wording is for",
    "people and may change at any time; the codes do not. `…` marks a value.",
    "",
    "| code | kind | says | raised in |",
    "|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

/** `docs/errors.md`, from the text of every source file. */
export async function generateErrors(): Promise<readonly Generated[]> {
  const source = join(ROOT, "src");
  const names = (await readdir(source, { recursive: true }))
    .map((name) => name.replaceAll(sep, "/"))
    .filter((name) => name.endsWith(".ts") && !name.startsWith("gen/"))
    .sort();
  const uses: ErrorUse[] = [];
  for (const name of names) {
    uses.push(...errorUses(await readFile(join(source, name), "utf8"), name));
  }
  return [{ path: "docs/errors.md", text: renderErrors(uses) }];
}
