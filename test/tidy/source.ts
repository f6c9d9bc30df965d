import { execFileSync } from "node:child_process";
import { type Dirent, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { maskText } from "./mask.ts";

export const ROOT: string = join(import.meta.dirname, "..", "..");

/** One file as the rules see it: pure functions over these, so that each can be shown to fail. */
export interface SourceFile {
  /** Relative to the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text without comments, strings and regular expressions (`maskText`). */
  readonly code: string;
}

/** What a rule found. Line numbers start at 1. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, code: path.endsWith(".ts") ? maskText(text) : text };
}

/** The 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < offset; i = text.indexOf("\n", i + 1)) line++;
  return line;
}

/** Every match of a pattern in the code of a file, as findings. */
export function findings(
  file: SourceFile,
  pattern: RegExp,
  what: string,
  where: "code" | "text" = "code",
): readonly Finding[] {
  return [...file[where].matchAll(pattern)].map((match) => ({
    path: file.path,
    line: lineAt(file.text, match.index),
    what: `${what}: ${match[0].trim()}`,
  }));
}

/** Made by tools, never written or read by people. */
const MADE = new Set(["node_modules", ".git", "dist", "coverage", ".firn", ".venv", "target"]);
const MADE_PATHS = ["src/gen/", "test/fixtures/", "package-lock.json"];
const TEXT_FILE = /\.(?:ts|mts|mjs|js|py|md|json|yml|yaml|proto|sh|txt|toml)$|^[^.]+$/;

/** Every text file of the checkout that somebody wrote, sorted by path. */
export function loadCheckout(): readonly SourceFile[] {
  const files: SourceFile[] = [];
  const walk = (directory: string): void => {
    for (const entry of entriesOf(directory)) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (MADE.has(entry.name) || MADE_PATHS.some((made) => `${path}/`.startsWith(made))) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile() && TEXT_FILE.test(entry.name) && !MADE_PATHS.includes(path)) {
        files.push(sourceFile(path, readFileSync(join(ROOT, path), "utf8")));
      }
    }
  };
  walk("");
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Names at the top of the checkout. */
export function topLevel(): readonly string[] {
  return entriesOf("").map((entry) => entry.name);
}

/** An entry of git's index. */
export interface Tracked {
  /** Six octal digits, as git prints them. */
  readonly mode: string;
  readonly path: string;
}

/** What git tracks; nothing where the checkout is no repository, as in an unpacked archive. */
export function tracked(): readonly Tracked[] {
  if (!existsSync(join(ROOT, ".git"))) return [];
  const lines = execFileSync("git", ["ls-files", "-s", "-z"], { cwd: ROOT, encoding: "utf8" });
  return lines.split("\0").flatMap((line) => {
    const [, mode, path] = /^(\d{6}) [^\t]*\t(.*)$/s.exec(line) ?? [];
    return mode === undefined || path === undefined ? [] : [{ mode, path }];
  });
}

/** Whether tools make what lies at a path. */
export function isMade(path: string): boolean {
  return path.split("/").some((name) => MADE.has(name));
}

function entriesOf(directory: string): readonly Dirent[] {
  return readdirSync(join(ROOT, directory), { withFileTypes: true });
}
