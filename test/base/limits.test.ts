import { expect, test } from "vitest";
import { assertLimits, LIMITS, type Limits } from "../../src/base/limits.ts";
import { assertCatalogLimits, CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { assertEveryLimit } from "../../src/runtime/every-limit.ts";
import { assertServerLimits, SERVER_LIMITS } from "../../src/server/limits.ts";
import { assertServiceLimits, SERVICE_LIMITS } from "../../src/service/limits.ts";

test("the limits are consistent with each other", () => {
  expect(() => assertEveryLimit()).not.toThrow();
});

const BROKEN: readonly (readonly [string, Partial<Limits>])[] = [
  ["a tombstone is forgotten while a request can land", { tombstoneLifeMs: 900_000 }],
  ["a tombstone that landed late is forgotten while one can", { tombstoneLifeMs: 1_200_000 }],
  ["a receipt is forgotten while its batch can land", { receiptLifeMs: 1_000_000 }],
  ["a limit is not a number", { batchOps: Number.NaN }],
  ["a limit is zero", { pageSize: 0 }],
];

test.each(BROKEN)("the start is refused where %s", (_what, change) => {
  expect(() => assertLimits({ ...LIMITS, ...change })).toThrow(
    expect.objectContaining({ code: "ASSERTION_FAILED" }),
  );
});

type Layer = readonly [string, () => void];

const SERVICE: Readonly<Record<string, number>> = SERVICE_LIMITS;
const CATALOG: Readonly<Record<string, number>> = CATALOG_LIMITS;
const SERVER: Readonly<Record<string, number>> = SERVER_LIMITS;

const service = (change: Readonly<Record<string, number>>) => () =>
  assertServiceLimits({ ...SERVICE, ...change } as typeof SERVICE_LIMITS);
const catalog = (change: Readonly<Record<string, number>>) => () =>
  assertCatalogLimits({ ...CATALOG, ...change } as typeof CATALOG_LIMITS);
const server = (change: Readonly<Record<string, number>>) => () =>
  assertServerLimits({ ...SERVER, ...change } as typeof SERVER_LIMITS);

const OF_A_LAYER: readonly Layer[] = [
  ["a payload may be collected while its batch can land", service({ catalogGcFloorMs: 600_000 })],
  ["a default page is larger than any page", service({ pageSizeDefault: 5_000 })],
  ["a minute of the history is settled early", catalog({ changeSettledMs: 60_000 })],
  ["a job's lease ends within its step", catalog({ jobLeaseMs: 60_000 })],
  ["a limit of the catalog is zero", catalog({ guards: 0 })],
  ["the largest body may not be taken", server({ bodyBytesInFlight: 1 })],
];

test.each(OF_A_LAYER)("the start is refused where %s", (_what, start) => {
  expect(start).toThrow(expect.objectContaining({ code: "ASSERTION_FAILED" }));
});
