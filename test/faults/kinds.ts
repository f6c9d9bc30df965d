import { SeededPrng } from "../../src/base/prng.ts";
import type { DynamoDouble } from "../double/dynamo/service.ts";
import { stingy, troublesOf } from "../double/dynamo/trouble.ts";
import type { Fault, Refusal } from "../double/faults.ts";
import type { S3Service } from "../double/s3/service.ts";
import { failure } from "../double/s3/xml.ts";
import type { Step } from "./steps.ts";

/** Longer than the lease of an engine's owner, shorter than any request is waited for. */
const BEYOND_LEASE_MS = 3_000;
/** Longer than an attempt. */
const BEYOND_ATTEMPT_MS = 60_000;

/** One kind of fault: a column of the matrix. */
export interface Kind {
  readonly name: string;
  readonly what: string;
  /** Whether it can happen to such a request. */
  readonly comesTo: (step: Step) => boolean;
  readonly fault: (services: Services, step: Step) => Fault;
  /** From here on nothing of the process reaches any service, and nobody hears its answer. */
  readonly ends?: true;
}

export interface Services {
  readonly s3: S3Service;
  readonly dynamo: DynamoDouble;
}

const always = (): boolean => true;
const isWrite = ({ act }: Step): boolean => act === "write";
const isS3 = ({ service }: Step): boolean => service === "s3";
const isConditional = ({ condition }: Step): boolean => condition !== "none";

function network(name: string, what: string, comesTo: Kind["comesTo"], fault: Fault): Kind {
  return { name, what, comesTo, fault: () => fault };
}

/** What the services say of their own: in S3 a status and a code, in DynamoDB by name. */
function said(
  name: string,
  what: string,
  comesTo: Kind["comesTo"],
  s3: readonly [status: number, code: string],
  dynamo: string | ((step: Step) => string),
  applied = false,
): Kind {
  const fault: Kind["fault"] = (services, step) => {
    const trouble = typeof dynamo === "string" ? dynamo : dynamo(step);
    const refusal: Refusal | undefined = isS3(step)
      ? { name: s3[1], answer: () => failure(...s3) }
      : troublesOf(services.dynamo)[trouble];
    if (refusal === undefined) throw new Error(`no trouble ${trouble}`);
    return { fault: "refused", refusal, applied };
  };
  return { name, what, comesTo, fault };
}

const LATEST = Number.POSITIVE_INFINITY;

/** Every kind; the order is that of the columns. */
export const KINDS: readonly Kind[] = [
  network("unsent", "never reaches the service", always, { fault: "unsent" }),
  network("lost", "applied, the answer is lost", isWrite, { fault: "lost" }),
  network("torn", "applied, the answer breaks off", always, { fault: "torn", share: 0.5 }),
  network("late1", "lands before the next request", isWrite, { fault: "late", lag: 1 }),
  network("late2", "lands before the one after that", isWrite, { fault: "late", lag: 2 }),
  network("latest", "lands when all is over", isWrite, { fault: "late", lag: LATEST }),
  network("twice", "a copy lands before the next request", isWrite, {
    fault: "duplicated",
    lag: 1,
  }),
  network("again", "a copy lands when all is over", isWrite, { fault: "duplicated", lag: LATEST }),
  network("resent", "a proxy sends it twice, the second answer counts", isWrite, {
    fault: "resent",
  }),
  network("silent", "never applied, never answered", always, { fault: "silent", applied: false }),
  network("mute", "applied, never answered", isWrite, { fault: "silent", applied: true }),
  network("slow", "waits for longer than a lease", always, {
    fault: "delayed",
    ms: BEYOND_LEASE_MS,
    applied: "after",
  }),
  network("stalled", "given up, and applied after the attempt", isWrite, {
    fault: "delayed",
    ms: BEYOND_ATTEMPT_MS,
    applied: "after",
  }),
  said("400", "RequestTimeout, ThrottlingException", always, [400, "RequestTimeout"], "throttled"),
  said(
    "409",
    "ConditionalRequestConflict, TransactionConflict",
    isConditional,
    [409, "ConditionalRequestConflict"],
    ({ condition }) => (condition === "many" ? "contended transaction" : "contended"),
  ),
  said(
    "412",
    "PreconditionFailed, though it holds",
    (step: Step) => isS3(step) && isConditional(step),
    [412, "PreconditionFailed"],
    "",
  ),
  said(
    "doing",
    "TransactionInProgress",
    ({ condition }: Step) => condition === "many",
    [409, ""],
    "in progress",
  ),
  said("429", "TooManyRequests, over capacity", always, [429, "TooManyRequests"], "over capacity"),
  said("500", "not applied", always, [500, "InternalError"], "internal error"),
  said("500+", "applied all the same", isWrite, [500, "InternalError"], "internal error", true),
  said("503", "SlowDown, not applied", always, [503, "SlowDown"], "unavailable"),
  said("503+", "applied all the same", isWrite, [503, "ServiceUnavailable"], "unavailable", true),
  { name: "short", what: "answers less than it could", comesTo: mayBeShort, fault: shortened },
  { ...network("end", "the process ends before it", always, { fault: "unsent" }), ends: true },
  { ...network("end+", "the process ends behind it", isWrite, { fault: "lost" }), ends: true },
];

/** Lists are never stale, as both services promise; but they may stop early. */
function mayBeShort({ act, label }: Step): boolean {
  return act === "list" || label === "BatchGetItem";
}

function shortened({ s3, dynamo }: Services, step: Step): Fault {
  const few = stingy(dynamo.handler, new SeededPrng(1));
  const answer: Refusal["answer"] = isS3(step)
    ? (request) => s3.handler({ ...request, query: { ...request.query, "max-keys": "1" } })
    : few;
  return { fault: "refused", refusal: { name: "short", answer }, applied: false };
}

/** @throws Error for a name that no kind has. */
export function kindOf(name: string): Kind {
  const kind = KINDS.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no kind of fault is named ${name}`);
  return kind;
}
