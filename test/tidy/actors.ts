import { type Finding, lineAt, type SourceFile } from "./source.ts";

/** Classes of `service/` that only its use cases call, or that find out who asks. */
const WORKERS: ReadonlySet<string> = new Set([
  "AccessTokens",
  "AccountAccess",
  "AccountPurge",
  "Authenticator",
  "SessionAccess",
  "SessionSignIn",
  "BackupContent",
  "CatalogPlaces",
  "CatalogScope",
  "CatalogWalk",
  "Chains",
  "Collector",
  "CommitAttempt",
  "CommitFiles",
  "CommitQueue",
  "ConflictPacer",
  "Copies",
  "DeltaLogs",
  "EarlierBackups",
  "FailedAttempts",
  "FileOwners",
  "Fsck",
  "Gathered",
  "ImportJobs",
  "IndexedNames",
  "IssuerKeys",
  "IssuerTokens",
  "JobRunner",
  "JsonRows",
  "KnownHeads",
  "KnownIds",
  "KnownRoots",
  "Lanes",
  "LayoutRead",
  "LeftMetadata",
  "Mark",
  "MetadataFile",
  "MetadataFiles",
  "OidcSignIn",
  "PageTokens",
  "PayloadRefs",
  "ProfileIndex",
  "ProfileSecrets",
  "Purge",
  "ReachableFiles",
  "ReadSet",
  "RecursiveDelete",
  "Registration",
  "RemoteCatalog",
  "RelationCommits",
  "RelationCopies",
  "RelationRoots",
  "RequestAccess",
  "RemoteSigning",
  "ReservedProperties",
  "ResourceNames",
  "Rights",
  "SigningKeys",
  "RowCursors",
  "RowHeat",
  "RowIndexJobs",
  "RowMoveJobs",
  "RowReaders",
  "RowShardJobs",
  "RowShards",
  "SealedTexts",
  "SharedShard",
  "SharedShards",
  "SkewWatch",
  "SortedLines",
  "StoreRateLimiter",
  "SystemScan",
  "TableConfigs",
  "TableImport",
  "TableLocations",
  "TokenExchange",
  "Tombstones",
  "UsageMeter",
  "WantedPayloads",
]);

/** Methods of an object's own life, which nobody asks for. */
const LIFE: ReadonlySet<string> = new Set(["constructor", "settled", "close"]);

/** A class, or an interface of operations, with its body. */
const DECLARED = /^export (?:class|interface) (\w+)\b[^{]*\{\n([\s\S]*?)^\}/gm;
const METHOD = /^ {2}(?:async )?([a-z]\w*)(?:<[^>(]*>)?\(\s*([^,)]*)/gm;

/**
 * Every public method of a use case takes the actor first, reads too: what is not told who asks
 * cannot refuse.
 */
export function actors(file: SourceFile): readonly Finding[] {
  if (!file.path.startsWith("src/service/")) return [];
  const found: Finding[] = [];
  for (const { 0: whole, 1: name = "", 2: body = "", index } of file.code.matchAll(DECLARED)) {
    const isUseCase = whole.startsWith("export class")
      ? !WORKERS.has(name)
      : name.endsWith("Operations");
    if (!isUseCase) continue;
    const start = index + whole.indexOf(body);
    for (const method of body.matchAll(METHOD)) {
      const [, called = "", first = ""] = method;
      if (LIFE.has(called) || /^_?actor: Actor$/.test(first.trim())) continue;
      const line = lineAt(file.text, start + method.index);
      found.push({ path: file.path, line, what: `${name}.${called} takes no actor first` });
    }
  }
  return found;
}
