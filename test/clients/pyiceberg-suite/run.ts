import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { add, type Counts, finish, missing, ONE_FAILED } from "../counts.ts";
import { findPython, PythonEnvironment } from "../python.ts";
import { withServer } from "../with-server.ts";

const HERE = import.meta.dirname;
const VERSION = "0.12.0";
const SOURCES = join(HERE, "target");
const ARCHIVE = join(SOURCES, `pyiceberg-${VERSION}.tar.gz`);
const ARCHIVE_SHA256 = "19f165d298054f9436108691098b60fa0fa99d0eff5fb884700c43b29334a39d";

/** Where the project's own tests expect a catalog. */
const THEIR_URL = "http://localhost:8181";

/**
 * Their tests of names with a slash are off for REST catalogs, behind a property which the settings
 * that they let through cannot spell: neither files nor, for its underscores, the environment.
 */
const SLASHES_OFF = '"supports_slash_in_identifier", False';
const SLASHES_ON = '"supports_slash_in_identifier", True';

/** The others of their kind want tables that a Spark has filled, or scan planning on the server. */
const FILES = ["test_catalog.py", "test_rest_catalog.py", "test_rest_schema.py"];

/**
 * Left out: catalogs that are not REST, and the one test which wants a server that advertises `.`
 * as its separator of namespace levels. Firn advertises none, since many clients send `%1F`
 * whatever they are told.
 */
const SELECTED = "not hive and not sqlite and not memory and not custom_namespace_separator";

/** Fewer than this is a failure: a suite that runs nothing finds nothing. */
const AT_LEAST = 437;

/** Fetches the release as its authors packed it, tests included. */
async function fetchSources(environment: PythonEnvironment): Promise<void> {
  if (!existsSync(ARCHIVE)) {
    console.log(`fetching the sources of PyIceberg ${VERSION}`);
    const what = ["--no-deps", "--no-binary", "pyiceberg", `pyiceberg==${VERSION}`];
    if (!environment.pip("download", ...what, "-d", SOURCES)) throw new Error("no sources");
  }
  const found = createHash("sha256")
    .update(await readFile(ARCHIVE))
    .digest("hex");
  if (found !== ARCHIVE_SHA256) throw new Error(`${ARCHIVE} is not the release: ${found}`);
}

/** A copy of their tests that asks the given server. */
async function unpack(
  environment: PythonEnvironment,
  url: string,
  directory: string,
): Promise<string> {
  if (!environment.run("-m", "tarfile", "-e", ARCHIVE, directory)) throw new Error("no archive");
  const root = join(directory, "suite");
  const unpacked = join(directory, `pyiceberg-${VERSION}`);
  // Their package stays behind: what is installed is what runs.
  for (const part of ["tests", "pyproject.toml"]) {
    await cp(join(unpacked, part), join(root, part), { recursive: true });
  }
  for await (const file of glob("tests/**/*.py", { cwd: root })) {
    const text = await readFile(join(root, file), "utf8");
    const ours = text.replaceAll(THEIR_URL, url).replace(SLASHES_OFF, SLASHES_ON);
    if (ours !== text) await writeFile(join(root, file), ours);
  }
  return root;
}

/** The namespace that their container setup makes. */
async function createDefaultNamespace(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/namespaces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ namespace: ["default"] }),
  });
  if (!response.ok) throw new Error(`no namespace: ${response.status} ${await response.text()}`);
}

async function main(args: readonly string[]): Promise<Counts> {
  const python = findPython();
  if (python === undefined) {
    return missing("PyIceberg's tests are not run: no Python 3.10 or newer (apt: python3-venv)");
  }
  const list = join(HERE, "requirements.txt");
  const environment = new PythonEnvironment(join(HERE, ".venv"), list);
  await environment.prepare(python);
  await fetchSources(environment);
  return withServer(async ({ url, scratch }) => {
    const root = await unpack(environment, url, scratch);
    await createDefaultNamespace(url);
    const files = FILES.map((file) => join("tests", "integration", file));
    const options = ["-p", "no:cacheprovider", "-rs", "--tb=short", "-k", SELECTED];
    const counts = await environment.pytest(root, [...options, ...files, ...args], {
      PYICEBERG_TEST_CATALOG: "firn",
      PYICEBERG_CATALOG__FIRN__TYPE: "rest",
      PYICEBERG_CATALOG__FIRN__URI: url,
    });
    if (args.length > 0 || counts.passed >= AT_LEAST) return counts;
    console.log(`FAILED: ${counts.passed} passed, ${AT_LEAST} expected`);
    return counts.failed > 0 ? counts : add(counts, ONE_FAILED);
  });
}

finish(await main(process.argv.slice(2)));
