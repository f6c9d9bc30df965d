import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const PACKAGE = "postgresql-15";
const TARGET = join(import.meta.dirname, "target");
const REGRESS = join(TARGET, "regress");

/**
 * The folder of PostgreSQL 15's regression scripts. The first call unpacks them from Debian's
 * source package, for which it reads the source lists into a folder of the suite.
 * @throws what apt-get or tar say
 */
export function regressionScripts(): string {
  if (existsSync(REGRESS)) return REGRESS;
  mkdirSync(TARGET, { recursive: true });
  const folder = mkdtempSync(join(TARGET, "source-"));
  try {
    const archive = downloaded(folder);
    const version = /_(.+)\.orig\.tar\.\w+$/.exec(archive)?.[1] ?? "";
    const inside = `postgresql-${version}/src/test/regress`;
    const members = ["sql", "data"].map((each) => `${inside}/${each}`);
    execFileSync("tar", ["-xf", archive, ...members], { cwd: folder });
    renameSync(join(folder, inside), REGRESS);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return REGRESS;
}

/** Downloads the newest source that the archive still has. */
function downloaded(folder: string): string {
  for (const each of ["parts", "lists/partial", "cache/archives/partial"]) {
    mkdirSync(join(folder, each), { recursive: true });
  }
  writeFileSync(join(folder, "parts", "source.sources"), sourceLists());
  const options = [
    "Dir::Etc::SourceList=/dev/null",
    `Dir::Etc::SourceParts=${join(folder, "parts")}`,
    `Dir::State::Lists=${join(folder, "lists")}`,
    `Dir::Cache=${join(folder, "cache")}`,
    "APT::Sandbox::User=root",
  ].flatMap((each) => ["-o", each]);
  const run = (command: string, ...args: readonly string[]): string =>
    execFileSync(command, [...options, ...args], { cwd: folder, encoding: "utf8" });
  run("apt-get", "update", "-q");
  const shown = run("apt-cache", "showsrc", PACKAGE);
  const versions = [...shown.matchAll(/^Version: (\S+)$/gm)].map((match) => match[1] ?? "");
  let failure: unknown = new Error(`no source package ${PACKAGE}`);
  for (const version of versions.sort().reverse()) {
    try {
      run("apt-get", "source", "-q", "--download-only", `${PACKAGE}=${version}`);
      const archive = readdirSync(folder).find((name) => /\.orig\.tar\.\w+$/.test(name));
      if (archive !== undefined) return archive;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** What the machine installs from, for sources. */
function sourceLists(): string {
  const folder = "/etc/apt/sources.list.d";
  const files = readdirSync(folder).filter((name) => name.endsWith(".sources"));
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8"));
  const binary = texts.join("\n\n").replace(/^Types:.*$/gm, "Types: deb-src");
  const list = "/etc/apt/sources.list";
  const lines = existsSync(list) ? readFileSync(list, "utf8").split("\n") : [];
  const fields = lines.flatMap((line) => {
    const found = /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+(.+)$/.exec(line.trim());
    if (found === null) return [];
    return [`Types: deb-src\nURIs: ${found[1]}\nSuites: ${found[2]}\nComponents: ${found[3]}\n`];
  });
  return [binary, ...fields].join("\n\n");
}
