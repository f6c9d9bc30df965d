import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
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

/** What the top of the checkout holds, without dotfiles and `tsconfig.*.json`. */
const TOP_LEVEL: ReadonlySet<string> = new Set([
  "CONTRIBUTING.md",
  "Dockerfile",
  "LICENSE",
  "NOTICE",
  "README.md",
  "bench",
  "bin",
  "biome.json",
  "docker-compose.yml",
  "docs",
  "localstack",
  "package-lock.json",
  "package.json",
  "proto",
  "src",
  "test",
  "tsconfig.json",
  "vitest.config.ts",
]);

/** An entry of git's index. */
export interface Tracked {
  /** Six octal digits, as git prints them. */
  readonly mode: string;
  readonly path: string;
}

/**
 * What git tracks below `root`; undefined where git cannot tell: an unpacked archive, a machine
 * without git, a checkout of another user.
 */
export function tracked(root: string = ROOT): readonly Tracked[] | undefined {
  if (!existsSync(join(root, ".git"))) return undefined;
  const args = ["ls-files", "-s", "-z"];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) return undefined;
  return stdout.split("\0").flatMap((line) => {
    const [, mode, path] = /^(\d{6}) [^\t]*\t(.*)$/s.exec(line) ?? [];
    return mode === undefined || path === undefined ? [] : [{ mode, path }];
  });
}

/**
 * Every text file that somebody wrote for this project, sorted by path: what git tracks, never what
 * a user keeps beside it. Where git cannot tell, what lies under the names of `TOP_LEVEL`.
 */
export function loadCheckout(root: string = ROOT): readonly SourceFile[] {
  const paths = tracked(root)?.map(({ path }) => path) ?? walk(root);
  return (
    paths
      .filter((path) => !isMade(path) && TEXT_FILE.test(path.slice(path.lastIndexOf("/") + 1)))
      .filter((path) => !MADE_PATHS.some((made) => `${path}/`.startsWith(made)))
      // Deleted, and still in the index.
      .filter((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile())
      .map((path) => sourceFile(path, readFileSync(join(root, path), "utf8")))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
  );
}

function walk(root: string): readonly string[] {
  const below = (directory: string): readonly string[] =>
    readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (MADE.has(entry.name) || (directory === "" && !belongsAtTop(entry.name))) return [];
      return entry.isDirectory() ? below(path) : [path];
    });
  return below("");
}

/** Whether a name may stand at the top of the checkout. */
export function belongsAtTop(name: string): boolean {
  return TOP_LEVEL.has(name) || name.startsWith(".") || /^tsconfig\.\w+\.json$/.test(name);
}

/** Whether tools make what lies at a path. */
export function isMade(path: string): boolean {
  return path.split("/").some((name) => MADE.has(name));
}
