import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, runTool, type ToolResult } from "./tools.ts";

/** What an outside project writes first. */
const PROGRAM = `import { Firn } from "firn-catalog";
const firn = await Firn.open({ profile: "memory" });
const { status } = await firn.fetch(new Request("http://firn/iceberg/v1/config"));
await firn.close();
console.log("config", status);
`;

/** The README's example of the engine, and what it prints. */
const ENGINE_EXAMPLE = /```js\n([^`]*firn-catalog\/lsm"[\s\S]*?)```/;

/** The other doors of the package; types and code of each. */
const DOORS = `import { verifyShard } from "firn-catalog/lsm/tools";
import { systemParts } from "firn-catalog/system";
import { TestFirn } from "firn-catalog/testing";
import { KeySchema } from "firn-catalog/keys";
const [one] = new KeySchema([{ type: "int4" }]).decode(Buffer.from("1080000001", "hex"));
const firn = await TestFirn.open({ fixture: { catalogs: [{ name: "lake" }] } });
const { items } = await firn.client.call("listCatalogs", {});
await firn.close();
console.log(typeof verifyShard, typeof systemParts().node.node, one, items.length);
`;

/** The page of the native API with its files, which the build puts into the package. */
const DOCS = `import { Firn } from "firn-catalog";
const firn = await Firn.open({ profile: "memory" });
const paths = ["", "/init.js", "/swagger-ui.css", "/swagger-ui-bundle.js"];
const ask = (path) => firn.fetch(new Request("http://firn/api/docs" + path));
const answers = await Promise.all(paths.map(ask));
await firn.close();
console.log(...answers.map(({ status }) => status));
`;

/** What people keep beside the sources, and none of it is ours to judge. */
const STRANGERS: Readonly<Record<string, string>> = {
  "notes.md": "TO" + "DO: a note to oneself\n",
  "notes.ts": "export default null as any;\n",
  "data/rows.json": "{,}\n",
  "venv/lib/site.test.ts": "import { x } from './nowhere.js';\nvar y: any = x;\n",
};

interface Part {
  readonly name: string;
  readonly run: () => Promise<ToolResult>;
  readonly holds: (output: string) => boolean;
}

/**
 * The package as an outside project gets it: packed in a fresh clone of this checkout, installed
 * into an empty project, imported, run. Then the clone's own checks, with strangers in it.
 */
function partsIn(directory: string, shown: string): readonly Part[] {
  const [clone, project] = [join(directory, "clone"), join(directory, "project")];
  const own = (command: string, ...args: readonly string[]) =>
    runTool(command, args, { cwd: clone });
  const out = (command: string, ...args: readonly string[]) =>
    runTool(command, args, { cwd: project });
  const firn = join(project, "node_modules", "firn-catalog", "bin", "firn.mjs");
  const any = () => true;
  return [
    {
      name: "git clone",
      run: () => runTool("git", ["clone", "--quiet", "--depth=1", `file://${ROOT}`, clone]),
      holds: any,
    },
    {
      name: "npm pack, without npm ci",
      run: () => own("npm", "pack", "--pack-destination", project),
      holds: (output) => output.includes("dist/index.js") && !output.includes("src/"),
    },
    {
      name: "the clone is unchanged",
      run: () => own("git", "status", "--porcelain"),
      holds: (output) => output === "",
    },
    {
      name: "npm install of the tarball",
      run: () => out("sh", "-c", "npm install --no-audit --no-fund ./firn-catalog-*.tgz"),
      holds: any,
    },
    {
      name: "no Node comes with it",
      run: () => out("ls", "node_modules"),
      holds: (output) => output.includes("firn-catalog") && !/^(?:node-|firn-node)/m.test(output),
    },
    {
      name: 'import { Firn } from "firn-catalog"',
      run: () => out(process.execPath, "program.mjs"),
      holds: (output) => output === "config 200\n",
    },
    {
      name: "the README's example of firn-catalog/lsm",
      run: () => out(process.execPath, "engine.mjs"),
      holds: (output) => output === shown,
    },
    {
      name: "firn-catalog/lsm/tools, /system, /testing and /keys",
      run: () => out(process.execPath, "doors.mjs"),
      holds: (output) => output === "function string 1 2\n",
    },
    {
      name: "types of firn-catalog/lsm",
      run: () => out("ls", "node_modules/firn-catalog/dist/lsm/index.d.ts"),
      holds: any,
    },
    {
      name: "the documentation of the native API",
      run: () => out(process.execPath, "docs.mjs"),
      holds: (output) => output === "200 200 200 200\n",
    },
    {
      name: "the firn command",
      run: () => out(process.execPath, firn, "--version"),
      holds: (output) => /^\d+\.\d+\.\d+\n$/.test(output),
    },
    ...["tsc -p .", "biome ci --colors=off .", "knip", "vitest run --no-color test/tidy"].map(
      (line): Part => ({
        name: `${line}, beside files of a user`,
        run: () => own("npx", "--no-install", ...line.split(" ")),
        holds: any,
      }),
    ),
  ];
}

async function main(): Promise<number> {
  if (spawnSync("git", ["rev-parse", "HEAD"], { cwd: ROOT }).status !== 0) {
    console.log("this checkout is not a git repository\n\n0 passed, 0 failed, 1 skipped");
    return 0;
  }
  const directory = await mkdtemp(join(tmpdir(), "firn-package-"));
  await mkdir(join(directory, "project"));
  await writeFile(join(directory, "project", "package.json"), '{"private":true}\n');
  await writeFile(join(directory, "project", "program.mjs"), PROGRAM);
  const [, example = ""] =
    ENGINE_EXAMPLE.exec(await readFile(join(ROOT, "README.md"), "utf8")) ?? [];
  const shown = [...example.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => `${line}\n`).join("");
  if (shown === "") throw new Error("the README has no example of firn-catalog/lsm");
  await writeFile(join(directory, "project", "engine.mjs"), example);
  await writeFile(join(directory, "project", "doors.mjs"), DOORS);
  await writeFile(join(directory, "project", "docs.mjs"), DOCS);
  const parts = partsIn(directory, shown);
  let passed = 0;
  for (const { name, run, holds } of parts) {
    const { exitCode, output } = await run();
    const good = exitCode === 0 && holds(output.replace(/^npm (?:warn|notice) Unknown.*\n/gm, ""));
    console.log(`${good ? "passed" : "failed"}   ${name}`);
    if (!good) console.log(output.slice(-4_000));
    passed += Number(good);
    if (name === "the clone is unchanged") await addStrangers(join(directory, "clone"));
  }
  await rm(directory, { recursive: true, force: true });
  console.log(`\n${passed} passed, ${parts.length - passed} failed, 0 skipped`);
  return passed === parts.length ? 0 : 1;
}

async function addStrangers(clone: string): Promise<void> {
  for (const [path, text] of Object.entries(STRANGERS)) {
    await mkdir(join(clone, path, ".."), { recursive: true });
    await writeFile(join(clone, path), text);
  }
}

process.exitCode = await main();
