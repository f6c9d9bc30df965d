import type {
  GivenStats,
  StatisticsOperations,
  Stats,
  StatsPut,
} from "../../api/statistics-operations.ts";
import { invalid } from "../../base/error.ts";
import type { TargetStats } from "../../catalog/model.ts";
import type { PutStats, StoredStats } from "../../catalog/statistics.ts";
import { etagOf } from "../../service/resources/resource.ts";
import type { Handlers } from "./call.ts";
import { snapshotOf } from "./names.ts";
import { decodePart } from "./query.ts";
import { timeText } from "./times.ts";

const MOST = 2n ** 63n - 1n;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function wrong(why: string, member: string): Error {
  return invalid("STATS_INVALID", `invalid statistics: ${why}`, { member });
}

function amount(text: string, member: string): bigint {
  const value = BigInt(text);
  if (value > MOST) throw wrong("a count exceeds 64 bits", member);
  return value;
}

function bytes(text: string, member: string): Uint8Array {
  if (text.length % 4 !== 0 || !BASE64.test(text)) throw wrong("not base64", member);
  return Buffer.from(text, "base64");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function json(text: string, member: string): string {
  if (isJson(text)) return text;
  throw wrong("not JSON text", member);
}

function distinctOf({
  count,
  exact,
  error,
  theta,
}: NonNullable<GivenStats["distinct"]>): NonNullable<TargetStats["distinct"]> {
  if (exact && error !== undefined && error > 0) {
    throw wrong("an exact count has no error", "distinct");
  }
  return {
    count: amount(count, "distinct"),
    exact,
    ...(error !== undefined && { error }),
    ...(theta !== undefined && theta !== "" && { theta: bytes(theta, "theta") }),
  };
}

/** @throws FirnError `Invalid` `STATS_INVALID`. */
function statsOf(given: GivenStats): TargetStats {
  const { target, rowCount, nullCount, nanCount, min, max, averageWidth, coverage } = given;
  const { distinct, histogram, kll, producer = "", complete = true, properties = {} } = given;
  return {
    target,
    ...(rowCount !== undefined && { rowCount: amount(rowCount, "rowCount") }),
    ...(nullCount !== undefined && { nullCount: amount(nullCount, "nullCount") }),
    ...(nanCount !== undefined && { nanCount: amount(nanCount, "nanCount") }),
    ...(min !== undefined && { min: json(min, "min") }),
    ...(max !== undefined && { max: json(max, "max") }),
    ...(averageWidth !== undefined && { averageWidth }),
    ...(distinct !== undefined && { distinct: distinctOf(distinct) }),
    ...(histogram !== undefined && histogram !== "" && { histogram: json(histogram, "histogram") }),
    ...(kll !== undefined && kll !== "" && { kll: bytes(kll, "kll") }),
    producer,
    complete,
    ...(coverage !== undefined && { coverage }),
    properties,
  };
}

function text(value: bigint | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function base64(value: Uint8Array | undefined): string | undefined {
  return value === undefined ? undefined : Buffer.from(value).toString("base64");
}

/** Without the members that are undefined. */
function given<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function rendered(snapshotId: bigint, stored: StoredStats): Stats {
  const { id, stats, version, updatedAtMs, updatedBy } = stored;
  const { distinct, rowCount, nullCount, nanCount, kll, ...rest } = stats;
  return given({
    id,
    snapshotId: String(snapshotId),
    version: String(version),
    etag: etagOf(stored),
    updatedAt: timeText(updatedAtMs),
    updatedBy,
    ...rest,
    rowCount: text(rowCount),
    nullCount: text(nullCount),
    nanCount: text(nanCount),
    kll: base64(kll),
    distinct:
      distinct &&
      given({ ...distinct, count: String(distinct.count), theta: base64(distinct.theta) }),
  }) as Stats;
}

function outcome(put: PutStats): StatsPut {
  const { id, version, changed } = put;
  return { id, version: String(version), etag: etagOf(put), changed };
}

export const STATISTICS_HANDLERS: Handlers<keyof StatisticsOperations> = {
  listStats: async ({ actor, service, params, query }) => {
    const place = snapshotOf(params);
    const page = await service.statistics.list(actor, place, query);
    return { ...page, items: page.items.map((one) => rendered(place.snapshotId, one)) };
  },
  putStats: async ({ actor, service, params, body }) => {
    const [put] = await service.statistics.put(actor, snapshotOf(params), [statsOf(body)]);
    return outcome(put as PutStats);
  },
  putStatsBatch: async ({ actor, service, params, body }) => {
    const done = await service.statistics.put(actor, snapshotOf(params), body.map(statsOf));
    return done.map(outcome);
  },
  getStats: async ({ actor, service, params }) => {
    const place = snapshotOf(params);
    const id = decodePart(params["target"] ?? "");
    return rendered(place.snapshotId, await service.statistics.get(actor, place, id));
  },
  deleteStats: ({ actor, service, params, ifMatch }) => {
    const id = decodePart(params["target"] ?? "");
    const place = snapshotOf(params);
    return service.statistics.delete(actor, place, id, { ifMatch }) as Promise<undefined>;
  },
  listFileStats: async ({ actor, service, params, query }) => {
    const place = snapshotOf(params);
    const page = await service.statistics.files(actor, place, query);
    return { ...page, items: page.items.map((one) => rendered(place.snapshotId, one)) };
  },
  getFileStats: async ({ actor, service, params, query }) => {
    const place = snapshotOf(params);
    return rendered(place.snapshotId, await service.statistics.file(actor, place, query.path));
  },
};
