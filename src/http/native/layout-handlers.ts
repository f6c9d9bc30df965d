import type {
  ColumnFigures,
  FilesOfKind,
  Layout,
  LayoutOperations,
} from "../../api/layout-operations.ts";
import { type FileFigures, SIZE_BOUNDS } from "../../iceberg/manifest-figures.ts";
import { tokenPage } from "../../service/resources/pages.ts";
import type { ColumnLayout, TableLayout } from "../../service/table-layouts.ts";
import type { Handlers } from "./call.ts";
import { snapshotIdOf } from "./names.ts";
import { tableRefOf } from "./relation-handlers.ts";
import { timeText } from "./times.ts";

/** Partitions of one answer. */
const PARTITIONS = 1_000;

function snapshotAsked({ snapshot }: { readonly snapshot?: string }): bigint | undefined {
  return snapshot === undefined ? undefined : snapshotIdOf({ snapshot });
}

export const LAYOUT_HANDLERS: Handlers<keyof LayoutOperations> = {
  getLayout: async (call) => {
    const { actor, service, query } = call;
    const id = snapshotAsked(query);
    return renderLayout(await service.layouts.layout(actor, await tableRefOf(call), id));
  },
  listColumnFigures: async (call) => {
    const { actor, service, query } = call;
    const { snapshot, ...page } = query;
    const id = snapshotAsked(query);
    const ref = await tableRefOf(call);
    const { catalog, namespace, table } = ref;
    const list = ["columns", catalog, namespace, table, snapshot ?? ""];
    let complete = false;
    const found = await tokenPage(service.tokens, actor, list, page, async (asked) => {
      const { limit = 1, after } = asked;
      // Of the snapshot of the first page, whichever is the current one by now.
      const [from = "0", of] = after?.split(" ") ?? [];
      const at = of === undefined ? id : BigInt(of);
      const { snapshotId, columns, isComplete } = await service.layouts.columns(actor, ref, at);
      complete = isComplete;
      const start = Number(from);
      const items = columns.slice(start, start + limit).map(renderColumn);
      const end = start + items.length;
      return end < columns.length ? { items, next: `${end} ${snapshotId}` } : { items };
    });
    return { ...found, complete };
  },
  getHealth: async (call) => {
    const { actor, service } = call;
    const health = await service.layouts.health(actor, await tableRefOf(call));
    const { snapshotId, isComplete, snapshots, metadataBytes, findings } = health;
    return {
      ...(snapshotId !== undefined && { snapshotId: String(snapshotId) }),
      complete: isComplete,
      snapshots,
      metadataBytes: String(metadataBytes),
      findings,
    };
  },
};

function renderFiles({ files, bytes, rows }: FileFigures): FilesOfKind {
  return { files, bytes: String(bytes), rows: String(rows) };
}

function renderLayout({ figures, manifests, ...layout }: TableLayout): Layout {
  const { count, read, ofDeletes, bytes } = manifests;
  const partitions = [...figures.partitions.values()].filter(
    ({ files, deleteFiles }) => files + deleteFiles > 0,
  );
  partitions.sort((a, b) => (a.bytes === b.bytes ? b.files - a.files : a.bytes < b.bytes ? 1 : -1));
  return {
    snapshotId: String(layout.snapshotId),
    timestamp: timeText(layout.timestampMs),
    complete: layout.isComplete,
    manifests: { count, read, ofDeletes, bytes: String(bytes) },
    data: renderFiles(figures.data),
    positionDeletes: renderFiles(figures.positionDeletes),
    equalityDeletes: renderFiles(figures.equalityDeletes),
    deletionVectors: renderFiles(figures.deletionVectors),
    sizes: figures.sizes.map(({ files, bytes: size }, i) => {
      const to = SIZE_BOUNDS[i];
      return {
        fromBytes: String(SIZE_BOUNDS[i - 1] ?? 0),
        ...(to !== undefined && { toBytes: String(to) }),
        files,
        bytes: String(size),
      };
    }),
    formats: [...figures.formats].map(([format, files]) => ({ format, files })),
    partitionCount: partitions.length,
    morePartitions: figures.hasMorePartitions,
    partitions: partitions.slice(0, PARTITIONS).map(({ specId, values, deleteFiles, ...files }) => {
      const names = layout.fieldNames.get(specId) ?? [];
      return {
        specId,
        values: values.map((value, i) => ({ name: names[i] ?? "", value })),
        ...renderFiles(files),
        deleteFiles,
      };
    }),
  };
}

function renderColumn({ bytes, values, nulls, nans, ...column }: ColumnLayout): ColumnFigures {
  return {
    ...column,
    bytes: String(bytes),
    values: String(values),
    nulls: String(nulls),
    nans: String(nans),
  };
}
