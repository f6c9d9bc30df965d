import type { PageViewVersion, ViewPage, ViewText } from "../../api/page-operations.ts";
import type { ViewMetadata } from "../../iceberg/view-metadata.ts";
import type { ViewVersion } from "../../iceberg/view-version.ts";
import { pageSchema } from "./iceberg-page.ts";
import { timeText } from "./times.ts";

/** Beside the current version. */
const VERSIONS = 20;
/** Of one query. */
const TEXT_CHARS = 65_536;
/** Of all queries of a page: those of the newest versions come whole. */
const PAGE_CHARS = 1_048_576;

/** What the metadata of a view says, as one page shows it. */
export function viewPage(metadata: ViewMetadata): Omit<ViewPage, "view"> {
  const { versions, currentVersionId, properties } = metadata;
  const isCurrent = ({ versionId }: ViewVersion) => versionId === currentVersionId;
  const others = versions.filter((one) => !isCurrent(one));
  others.sort((a, b) => b.timestampMs - a.timestampMs || b.versionId - a.versionId);
  const shown = [...versions.filter(isCurrent), ...others.slice(0, VERSIONS)];
  const left = { chars: PAGE_CHARS };
  return {
    currentVersionId,
    properties: Object.fromEntries(properties),
    versions: shown.map((version) => pageVersion(metadata, version, left)),
    versionCount: versions.length,
  };
}

function pageVersion(
  { schemas }: ViewMetadata,
  { versionId, schemaId, timestampMs, summary, ...version }: ViewVersion,
  left: { chars: number },
): PageViewVersion {
  const { defaultCatalog, defaultNamespace, representations } = version;
  const schema = schemas.find((one) => one.schemaId === schemaId);
  return {
    versionId,
    at: timeText(timestampMs),
    ...(defaultCatalog !== undefined && { defaultCatalog }),
    defaultNamespace,
    summary: Object.fromEntries(summary),
    schema: schema === undefined ? { schemaId, fields: [] } : pageSchema(schema),
    texts: representations
      .filter(({ type }) => type === "sql")
      .map(({ dialect, sql }) => textOf(dialect, sql, left)),
  };
}

function textOf(dialect: string, sql: string, left: { chars: number }): ViewText {
  const most = Math.min(TEXT_CHARS, left.chars);
  left.chars -= Math.min(sql.length, most);
  return sql.length <= most ? { dialect, sql } : { dialect, sql: cut(sql, most), isCut: true };
}

/** Between characters, not within one. */
function cut(text: string, chars: number): string {
  const part = text.slice(0, chars);
  return part.isWellFormed() ? part : part.slice(0, -1);
}
