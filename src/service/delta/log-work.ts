import { isMainThread, workerData } from "node:worker_threads";
import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  jsonKeys,
  parseJson,
} from "../../base/json.ts";
import { asLong, asMillis, asObject, member } from "../../base/json-read.ts";
import { InlineWorkers, type Tasks, type Workers } from "../../base/work.ts";
import { serveWork } from "../../base/work-thread.ts";
import { WorkThreads } from "../../base/work-threads.ts";
import { readColumns } from "./checkpoint.ts";

/** What a log says of a table as a whole. All of it crosses between threads. */
export interface DeltaMetadata {
  readonly name: string;
  readonly description: string;
  readonly schemaString: string;
  readonly partitionColumns: readonly string[];
  readonly configuration: Readonly<Record<string, string>>;
}

export interface DeltaProtocol {
  readonly minReaderVersion: number;
  readonly readerFeatures: readonly string[];
}

/** What a commit says of itself; `timestampMs` is absent where its writer named none. */
export interface DeltaCommitInfo {
  readonly timestampMs?: number;
  readonly operation: string;
  readonly facts: Readonly<Record<string, string>>;
}

export interface DeltaActions {
  readonly metadata?: DeltaMetadata;
  readonly protocol?: DeltaProtocol;
  readonly commitInfo?: DeltaCommitInfo;
}

interface LogTasks extends Tasks {
  /** A commit: a line of JSON for each action. Files that it adds and removes are passed over. */
  readonly commit: (input: { readonly bytes: Uint8Array }) => Generator<DeltaActions, void>;
  /** A checkpoint, or one part of it. */
  readonly checkpoint: (input: { readonly bytes: Uint8Array }) => Generator<DeltaActions, void>;
}

export type LogWork = Workers<LogTasks>;

const ROLE = "firn-delta-log";
const HEAP_MIB = 512;
/** The one member of a line's object, which tells its kind. */
const KIND = /^\s*\{\s*"(metaData|protocol|commitInfo)"\s*:/;

const TASKS: LogTasks = {
  *commit({ bytes }) {
    yield actionsOf(new TextDecoder().decode(bytes));
  },
  *checkpoint({ bytes }) {
    yield checkpointOf(bytes);
  },
};

/** Reads logs in a thread, which is started with the first; in place for tests and simulations. */
export function openLogWork(clock: Clock, inPlace: boolean): LogWork {
  if (inPlace) return new InlineWorkers(TASKS);
  const module = new URL(import.meta.url);
  return new WorkThreads<LogTasks>({ module, role: ROLE, clock, threads: 1, heapMib: HEAP_MIB });
}

function actionsOf(text: string): DeltaActions {
  let actions: DeltaActions = {};
  for (const line of text.split("\n")) {
    const [, kind] = KIND.exec(line) ?? [];
    if (kind === undefined) continue;
    const action = asObject(member(asObject(parseJson(line), ""), kind), kind);
    if (kind === "metaData") actions = { ...actions, metadata: metadataOf(action) };
    else if (kind === "protocol") actions = { ...actions, protocol: protocolOf(action) };
    else actions = { ...actions, commitInfo: commitInfoOf(action) };
  }
  return actions;
}

function metadataOf(action: JsonObject): DeltaMetadata {
  return {
    name: textOf(member(action, "name")),
    description: textOf(member(action, "description")),
    schemaString: textOf(member(action, "schemaString")),
    partitionColumns: textsOf(member(action, "partitionColumns")),
    configuration: configurationOf(member(action, "configuration")),
  };
}

function protocolOf(action: JsonObject): DeltaProtocol {
  return {
    minReaderVersion: Number(asLong(member(action, "minReaderVersion"), "minReaderVersion")),
    readerFeatures: textsOf(member(action, "readerFeatures")),
  };
}

function commitInfoOf(action: JsonObject): DeltaCommitInfo {
  const at = member(action, "inCommitTimestamp") ?? member(action, "timestamp");
  const facts: Record<string, string> = {};
  for (const name of ["operationParameters", "operationMetrics"]) {
    const told = member(action, name);
    if (told === undefined || !isJsonObject(told)) continue;
    for (const key of jsonKeys(told)) {
      const text = textOf(member(told, key));
      if (text !== "") facts[key] = text;
    }
  }
  const engine = textOf(member(action, "engineInfo"));
  return {
    operation: textOf(member(action, "operation")),
    facts: { ...facts, ...(engine !== "" && { engineInfo: engine }) },
    ...(at !== undefined && { timestampMs: asMillis(at, "timestamp") }),
  };
}

/** Engines write numbers and flags of a commit as texts or as themselves. */
function textOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (value instanceof JsonNumber) return value.token;
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint"
    ? String(value)
    : "";
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return value !== undefined && isJsonArray(value) ? value.map(textOf) : [];
}

function configurationOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  if (value === undefined || !isJsonObject(value)) return {};
  return Object.fromEntries(jsonKeys(value).map((key) => [key, textOf(member(value, key))]));
}

const COLUMNS = {
  schema: "metaData.schemaString",
  name: "metaData.name",
  description: "metaData.description",
  partitions: "metaData.partitionColumns.list.element",
  keys: "metaData.configuration.key_value.key",
  values: "metaData.configuration.key_value.value",
  reader: "protocol.minReaderVersion",
  features: "protocol.readerFeatures.list.element",
} as const;

/** Other spellings of the inner levels of a list, by writers before they were agreed on. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [[/\.list\.element$/, ".array"]];

function checkpointOf(bytes: Uint8Array): DeltaActions {
  const names = Object.values(COLUMNS).flatMap((name) => [name, ...spelled(name)]);
  let found: ReturnType<typeof readColumns>;
  try {
    found = readColumns(bytes, names);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FirnError("Invalid", "DELTA_CHECKPOINT_INVALID", "not a readable Parquet file", {
      reason: reason.slice(0, 200),
    });
  }
  const of = (name: string): readonly unknown[] =>
    [name, ...spelled(name)].flatMap((each) => found.get(each) ?? []);
  const text = (name: string) => String(of(name)[0] ?? "");
  const flat = (name: string) => of(name).map(String);
  const keys = flat(COLUMNS.keys);
  const values = flat(COLUMNS.values);
  const isTold = of(COLUMNS.schema).length > 0;
  return {
    ...(isTold && {
      metadata: {
        name: text(COLUMNS.name),
        description: text(COLUMNS.description),
        schemaString: text(COLUMNS.schema),
        partitionColumns: flat(COLUMNS.partitions),
        configuration: Object.fromEntries(keys.map((key, i) => [key, values[i] ?? ""])),
      },
    }),
    ...(of(COLUMNS.reader).length > 0 && {
      protocol: {
        minReaderVersion: Number(of(COLUMNS.reader)[0]),
        readerFeatures: flat(COLUMNS.features),
      },
    }),
  };
}

function spelled(name: string): readonly string[] {
  return SPELLINGS.flatMap(([from, to]) => (from.test(name) ? [name.replace(from, to)] : []));
}

if (!isMainThread && workerData === ROLE) serveWork(TASKS);
