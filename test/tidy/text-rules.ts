import { LSM_DOORS } from "./lsm-layers.ts";
import {
  belongsAtTop,
  type Finding,
  findings,
  isMade,
  type SourceFile,
  type Tracked,
} from "./source.ts";

const MAX_LINES = 800;
const MAX_COLUMNS = 100;
const README_LINES = 40;

/** At most 800 lines a file and 100 columns a line; one long URL may stand. */
export function shape(file: SourceFile): readonly Finding[] {
  const lines = file.text.split("\n");
  const found: Finding[] = [];
  const count = lines.length - (lines.at(-1) === "" ? 1 : 0);
  if (count > MAX_LINES) found.push({ path: file.path, line: MAX_LINES, what: `${count} lines` });
  lines.forEach((text, index) => {
    const columns = [...text].length;
    if (columns > MAX_COLUMNS && !/https?:\/\/\S{60,}/.test(text)) {
      found.push({ path: file.path, line: index + 1, what: `${columns} columns` });
    }
  });
  return found;
}

const AMBIENT: readonly RegExp[] = [
  /\bDate\.now\b/g,
  /\bnew Date\(\s*\)/g,
  /\bnew Date\b(?!\s*\()/g,
  /\bMath\.random\b/g,
  /\bperformance\.(?:now|timeOrigin)\b/g,
  /\bprocess\.(?:hrtime|uptime)\b/g,
  // A socket's own bound on silence waits for nothing by itself.
  /(?<!\bsocket\.)\b(?:setTimeout|setInterval|setImmediate)\b/g,
  /\b(?:randomUUID|randomBytes|randomInt|randomFill|randomFillSync|getRandomValues)\b/g,
  /\bAbortSignal\.timeout\b/g,
];

/** Time and randomness come through the ports: only `runtime/` touches the machine's own. */
export function ambient(file: SourceFile): readonly Finding[] {
  // The client runs in browsers too, and waits by their clock, as the console does.
  const { path } = file;
  if (/^src\/(?:runtime|console)\//.test(path) || path === "src/client/pause.ts") return [];
  return AMBIENT.flatMap((pattern) => findings(file, pattern, "ambient time or randomness"));
}

/** The environment and signals are a process's, so that an embedded Firn has neither. */
export function environment(file: SourceFile): readonly Finding[] {
  if (file.path.startsWith("src/runtime/") || file.path === "src/cli/main.ts") return [];
  return findings(file, /\bprocess\.(?:env|on|once)\b/g, "environment or signals outside runtime/");
}

/** What the language offers and the house does not use. */
export function language(file: SourceFile): readonly Finding[] {
  return [
    ...findings(file, /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+\w/gm, "enum"),
    ...findings(file, /(?:[:<|&]\s*|\bas\s+)any\b(?!\s*[:(])|,\s*any\s*>/g, "any"),
    ...findings(file, /^\s*export\s+default\b/gm, "default export"),
    ...findings(file, /^\s*export\s*\{[^}]*\bas\s+default\b/gm, "default export"),
  ];
}

/** People's output is the CLI's; everything else logs through its port. */
export function consoleUse(file: SourceFile): readonly Finding[] {
  if (file.path.startsWith("src/cli/")) return [];
  return findings(file, /\bconsole\s*\.\s*\w+/g, "console outside cli/");
}

/** Files through which others enter: they hand on what other files define. */
export const BARRELS: readonly string[] = [
  "src/index.ts",
  "src/keys/index.ts",
  "src/rows/index.ts",
  "src/patterns/index.ts",
  ...LSM_DOORS,
];

/** Elsewhere a name is imported from the file that defines it. */
export function barrel(file: SourceFile): readonly Finding[] {
  if (BARRELS.includes(file.path)) return [];
  const found = [
    ...findings(file, /\bexport\s+(?:type\s+)?(?:\*[^;"']*|\{[^}]*\}\s*)from\b/g, "re-export"),
  ];
  if (file.path.endsWith("/index.ts")) {
    found.push({ path: file.path, line: 1, what: "a second index.ts" });
  }
  return found;
}

/** A test that runs alone silences all others. */
export function focused(file: SourceFile): readonly Finding[] {
  return findings(file, /\b(?:it|test|describe|bench)\.only\b/g, "focused test");
}

/** Chooses for all tests of a process what their catalogs or requests go over. */
const CHOICE = /\buse(?:Engine|Service|Sdk)\(|\bimport\("[^"]*\.test\.ts"\)/g;

/** Files of `npm test` share processes: none chooses for all, or runs the tests of another one. */
export function shared(file: SourceFile): readonly Finding[] {
  return file.path.endsWith(".test.ts")
    ? findings(file, CHOICE, "belongs in .over.ts", "text")
    : [];
}

// Spelt in pieces: this file is scanned like every other.
const LEFTOVER = new RegExp(String.raw`\b(?:FIX${"ME"}|TO${"DO"}|XX${"X"}|HA${"CK"})\b`, "g");

/** Notes to oneself are finished or deleted, not committed. */
export function leftovers(file: SourceFile): readonly Finding[] {
  return findings(file, LEFTOVER, "leftover note", "text");
}

const FOREIGN: readonly RegExp[] = [
  new RegExp(String.raw`(?<![\w.~-])/wo${"rk"}/`, "g"),
  /\bissue\s+#?\d+\b/gi,
  /\b(?:rows-sql|measured|toolchain)\.md\b/g,
  new RegExp(String.raw`https?://(?:[\w-]+\.)*(?:npm${"js"}|pythonhosted)\.\w+[^\s)"']*`, "g"),
  /https?:\/\/(?:registry|mirror|artifactory|nexus|verdaccio)[.\w-]*/g,
];

/** The project speaks of itself alone: no machine, registry or tracker it was made on or with. */
export function foreign(file: SourceFile): readonly Finding[] {
  return FOREIGN.flatMap((pattern) => findings(file, pattern, "refers outside the clone", "text"));
}

/** Words that make a sentence read as translated; the changelog is history. */
const TRANSLATED: readonly RegExp[] = [
  /\b(?:who(?:m)?ever|(?:some|any|no)body|besides|likewise|at hand|of its own)\b/gi,
  /(?<!\bthere )\b(?:is|are) no (?!(?:longer|more|larger|shorter|other)\b)\w+/gi,
];
const PROSE = /^(?:README\.md|CONTRIBUTING\.md|docs\/(?!CHANGELOG).*\.md|src\/.*README\.md)$/;
const SOURCE = /^src\/(?!gen\/).*\.ts$/;

/** Docs, help, errors and comments are plain English. */
export function plainEnglish(file: SourceFile): readonly Finding[] {
  if (!PROSE.test(file.path) && !SOURCE.test(file.path)) return [];
  const what = "not plain English: name the actor, say it once";
  return TRANSLATED.flatMap((pattern) => findings(file, pattern, what, "text"));
}

/** Each folder of `src/` says what lives there, on at most 40 lines. */
export function readmes(files: readonly SourceFile[]): readonly Finding[] {
  const folders = new Set(
    files
      .map((file) => /^src\/(?!gen\/)(.+)\/[^/]+\.ts$/.exec(file.path)?.[1])
      .filter((name) => name),
  );
  return [...folders].flatMap((folder) => {
    const path = `src/${folder}/README.md`;
    const readme = files.find((file) => file.path === path);
    if (readme === undefined) return [{ path, line: 1, what: "missing" }];
    const lines = readme.text.trimEnd().split("\n").length;
    return lines > README_LINES ? [{ path, line: README_LINES, what: `${lines} lines` }] : [];
  });
}

/** The top of the checkout stays short enough to take in at a glance. */
export function strangers(names: readonly string[]): readonly Finding[] {
  return names
    .filter((name) => !belongsAtTop(name))
    .map((name) => ({ path: name, line: 1, what: "unknown at the top of the checkout" }));
}

const SYMBOLIC_LINK = "120000";

/**
 * What tools make is not tracked, and no links are: checked out, a link named `node_modules` takes
 * the place of the directory and all that is in it.
 */
export function untrackable(entries: readonly Tracked[]): readonly Finding[] {
  return entries
    .filter(({ mode, path }) => mode === SYMBOLIC_LINK || isMade(path))
    .map(({ path }) => ({ path, line: 1, what: "must not be tracked" }));
}
