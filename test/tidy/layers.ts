import { importsOf, resolveImport } from "./imports.ts";
import type { Finding, SourceFile } from "./source.ts";

/** A folder imports lower layers and itself; `beside` names the folders of its own layer it may. */
interface Folder {
  readonly layer: number;
  readonly beside?: readonly string[];
}

export const FOLDERS: Readonly<Record<string, Folder>> = {
  base: { layer: 0 },
  gen: { layer: 0 },
  aws: { layer: 0, beside: ["base"] },
  keys: { layer: 1 },
  api: { layer: 1 },
  blob: { layer: 1 },
  pointer: { layer: 1 },
  lsm: { layer: 2 },
  iceberg: { layer: 3 },
  catalog: { layer: 3 },
  rows: { layer: 3 },
  sql: { layer: 3, beside: ["rows"] },
  patterns: { layer: 3, beside: ["rows"] },
  service: { layer: 4 },
  http: { layer: 5 },
  pgwire: { layer: 5 },
  client: { layer: 5 },
  runtime: { layer: 6 },
  server: { layer: 6, beside: ["runtime"] },
  /** Code of browsers: the native API is all that it knows. */
  console: { layer: 6 },
  cli: { layer: 6, beside: ["runtime", "server"] },
  testing: { layer: 6, beside: ["runtime", "server"] },
};

/** Edges that the layer numbers allow and the design does not. */
const NEVER: ReadonlyMap<string, readonly string[]> = new Map([
  ["catalog", ["lsm"]],
  ["lsm", ["pointer"]],
  // Pure functions over metadata: they read and write nothing.
  ["iceberg", ["blob", "pointer", "keys", "lsm"]],
  [
    "console",
    ["base", "gen", "aws", "keys", "blob", "pointer", "lsm", "iceberg", "catalog"].concat([
      "rows",
      "sql",
      "service",
      "http",
      "pgwire",
    ]),
  ],
]);

/**
 * The pointer store over the engine sits above `lsm/`, whatever its folder says, so only the
 * wiring may import it.
 */
const ENGINE_POINTERS = "src/pointer/lsm.ts";
const WIRING = "src/runtime/stores.ts";

/** Folders of protocols, which know nothing of each other. */
const PROTOCOL = /^src\/http\/([a-z]+)\//;
/** The only files of `server/` that know which protocols there are. */
const KNOW_PROTOCOLS: ReadonlySet<string> = new Set([
  "src/server/wire.ts",
  "src/server/standby-server.ts",
]);

/** Why a file may not import one of a protocol: the server knows the port alone. */
function protocolRefusal(from: string, to: string): string | undefined {
  const target = PROTOCOL.exec(to)?.[1];
  if (target === undefined) return undefined;
  const source = PROTOCOL.exec(from)?.[1];
  if (source !== undefined && source !== target) return "a protocol imports another one";
  if (source === undefined && from.startsWith("src/http/")) return "http/ imports a protocol";
  const isServer = from.startsWith("src/server/") && !KNOW_PROTOCOLS.has(from);
  return isServer ? "server/ imports a protocol instead of http/protocol.ts" : undefined;
}

/** Modules of Node that do I/O: none of them in a folder of pure functions. */
const IO = /^node:(?:fs|net|http|https|http2|tls|dgram|child_process|worker_threads|dns)\b/;

interface Package {
  readonly name: RegExp;
  readonly where: RegExp;
  readonly only: string;
}

const PACKAGES: readonly Package[] = [
  {
    name: /^@(?:aws-sdk|smithy)\//,
    where: /^src\/(?:[^/]+\/)+(?:s3|dynamo|sts)[^/]*(?:\/|$)/,
    only: "the s3, dynamo and sts adapters",
  },
  {
    name: /^@?fastify(?:\/|$)/,
    where: /^src\/(?:http|server)\//,
    only: "http/ and server/",
  },
  { name: /^(?:protobufjs(?:\/|$)|long$)/, where: /^src\/catalog\/codec\//, only: "the codec" },
];

function folderOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

/** Whether `from` may import `to`, both paths below `src/`; the reason where it may not. */
function refusal(from: string, to: string): string | undefined {
  if (from === "src/index.ts") return undefined;
  const source = folderOf(from);
  const target = folderOf(to);
  if (source === undefined || target === undefined) return "only src/index.ts lies above folders";
  if (to === ENGINE_POINTERS) {
    return from === WIRING ? undefined : `only ${WIRING} imports ${ENGINE_POINTERS}`;
  }
  if (to.startsWith("src/gen/") && !from.startsWith("src/catalog/codec/")) {
    return "only src/catalog/codec/ imports generated code";
  }
  const ofProtocol = protocolRefusal(from, to);
  if (ofProtocol !== undefined) return ofProtocol;
  if (source === target) return undefined;
  if (from === ENGINE_POINTERS && target === "lsm") return undefined;
  const lower = FOLDERS[source];
  const upper = FOLDERS[target];
  if (lower === undefined || upper === undefined) return "a folder that the layers do not name";
  if (NEVER.get(source)?.includes(target) === true) return `${source}/ never imports ${target}/`;
  if (upper.layer < lower.layer || lower.beside?.includes(target) === true) return undefined;
  return `${source}/ (layer ${lower.layer}) may not import ${target}/ (layer ${upper.layer})`;
}

/** Every import of a source file that the layers, or the homes of the packages, do not allow. */
export function layers(file: SourceFile): readonly Finding[] {
  const found: Finding[] = [];
  const add = (line: number, what: string): void =>
    void found.push({ path: file.path, line, what });
  const folder = folderOf(file.path);
  if (folder !== undefined && FOLDERS[folder] === undefined) {
    add(1, `folder ${folder}/ has no layer`);
  }
  for (const { specifier, line } of importsOf(file)) {
    const target = resolveImport(file.path, specifier);
    if (target !== undefined) {
      if (!target.startsWith("src/")) {
        if (target !== "package.json") add(line, `import from outside src: ${specifier}`);
        continue;
      }
      const reason = refusal(file.path, target);
      if (reason !== undefined) add(line, `${reason}: ${specifier}`);
      continue;
    }
    if (folder === "iceberg" && IO.test(specifier)) add(line, `I/O in iceberg/: ${specifier}`);
    for (const { name, where, only } of PACKAGES) {
      if (name.test(specifier) && !where.test(file.path)) add(line, `${specifier} only in ${only}`);
    }
  }
  return found;
}
