import type { IcebergPage } from "../../api/page-operations.ts";
import type { Snapshot } from "../../api/resources.ts";
import { bytesText, countText, deltaBytesText, deltaText, shortId } from "../format.ts";
import { schemaDiff } from "../schema-diff.ts";
import { SchemaDiff } from "./schema-tab.tsx";

interface ComparedProps {
  readonly iceberg: IcebergPage;
  readonly from: Snapshot;
  readonly to: Snapshot;
}

const COMPARED = [
  ["Rows", "total-records", countText, deltaText],
  ["Files", "total-data-files", countText, deltaText],
  ["Size", "total-files-size", bytesText, deltaBytesText],
  ["Delete files", "total-delete-files", countText, deltaText],
] as const;

/** What is different in one snapshot from another. */
export function Compared({ iceberg, from, to }: ComparedProps) {
  const fieldsOf = ({ schemaId }: Snapshot) =>
    iceberg.schemas.find((schema) => schema.schemaId === schemaId)?.fields ?? [];
  const changes = schemaDiff(fieldsOf(from), fieldsOf(to)).filter(({ kind }) => kind !== "same");
  return (
    <section class="compared" aria-live="polite">
      <h2 tabIndex={-1}>
        {shortId(from.snapshotId)} → {shortId(to.snapshotId)}
      </h2>
      <table class="small">
        <tbody>
          {COMPARED.map(([name, key, text, delta]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{text(from.summary[key])}</td>
              <td class="number">{text(to.summary[key])}</td>
              <td class="number">{delta(from.summary[key], to.summary[key])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length === 0 ? (
        <p class="dim">The schema is the same.</p>
      ) : (
        <SchemaDiff changes={changes} />
      )}
    </section>
  );
}
