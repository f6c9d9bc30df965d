import { inOnePiece, utf8Text } from "../../src/base/bytes.ts";
import { atOnce } from "../../src/base/steps.ts";
import * as table from "../../src/iceberg/metadata.ts";
import type { TableMetadata } from "../../src/iceberg/model.ts";
import * as refs from "../../src/iceberg/refs.ts";
import * as view from "../../src/iceberg/view-metadata.ts";

/** Metadata as printed, in one text. */
export function printTableMetadata(metadata: TableMetadata): string {
  return utf8Text(inOnePiece(table.printTableMetadata(metadata)));
}

export function snapshotsOfRefs(metadata: TableMetadata): string {
  return utf8Text(inOnePiece(atOnce(refs.refSnapshotSteps(metadata))));
}

export function printViewMetadata(metadata: view.ViewMetadata): string {
  return utf8Text(inOnePiece(view.printViewMetadata(metadata)));
}
