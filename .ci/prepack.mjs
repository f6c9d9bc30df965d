// Builds `dist/` before the package is packed: by `npm pack`, which runs `prepack`; or by npm in a
// clone of its own, where another project depends on this repository, which runs `prepare` alone.
// Plain JavaScript for any Node: where the clone has no dependencies yet they are installed first,
// and with them the Node that the build runs under.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** `npm ci` and `npm install` run `prepare` too. Only one that packs names what it packs. */
function isDue() {
  if (process.env.npm_lifecycle_event !== "prepare") return true;
  return Boolean(process.env.npm_package_resolved) && !existsSync(join(root, "dist", "index.js"));
}

/** Output goes to stderr: what `npm pack` prints on stdout is the name of the tarball. */
function run(command) {
  const { status, error } = spawnSync(command, { cwd: root, shell: true, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  process.stderr.write(`prepack: ${command} failed${error ? `: ${error.message}` : ""}\n`);
  process.exit(1);
}

if (isDue()) {
  if (!existsSync(join(root, "node_modules", "typescript"))) {
    run("npm ci --no-audit --no-fund --ignore-scripts");
  }
  run("npm run --silent build");
}
