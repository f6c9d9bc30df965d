import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { type Prng, randomBelow } from "../../../src/base/prng.ts";
import type { Fault, Refusal, SeededFaults } from "../faults.ts";
import type { Handler, Request, Response } from "../server.ts";
import { cancelled, Refused } from "./refusal.ts";
import { type DynamoDouble, operationOf, withBody } from "./service.ts";

/**
 * Trouble that the service gives of its own. What `isDefinite` names it documents as not applied;
 * all else may have been.
 */
export interface Trouble extends Refusal {
  readonly isDefinite: boolean;
  /** Operations that it comes to. */
  readonly comesTo: (operation: string) => boolean;
}

const SINGLE_WRITES: ReadonlySet<string> = new Set(["PutItem", "UpdateItem", "DeleteItem"]);
const isTransaction = (operation: string): boolean => operation === "TransactWriteItems";
const always = (): boolean => true;

/** All the trouble that the store must take, each by name. */
export function troublesOf(double: DynamoDouble): Readonly<Record<string, Trouble>> {
  const says = (type: string, status = 400): ((request: Request) => Response) => {
    return () => double.refusal(new Refused(type, type), status);
  };
  const proxy = (status: number): ((request: Request) => Response) => {
    const headers = { "content-type": "text/html" };
    return () => ({ status, headers, body: utf8("<html>not from the service</html>") });
  };
  const give = (
    name: string,
    isDefinite: boolean,
    comesTo: Trouble["comesTo"],
    answer: Trouble["answer"],
  ): Trouble => ({ name, isDefinite, comesTo, answer });
  const all = [
    give("throttled", true, always, says("ThrottlingException")),
    give("over capacity", true, always, says("ProvisionedThroughputExceededException")),
    give("throttled in part", true, isTransaction, (request) =>
      double.refusal(cancelled(oneReason(request, "ThrottlingError"))),
    ),
    give(
      "contended",
      true,
      (operation) => SINGLE_WRITES.has(operation),
      says("TransactionConflictException"),
    ),
    give("contended transaction", true, isTransaction, (request) =>
      double.refusal(cancelled(oneReason(request, "TransactionConflict"))),
    ),
    give("in progress", false, isTransaction, says("TransactionInProgressException")),
    give("internal error", false, always, says("InternalServerError", 500)),
    give("unavailable", false, always, says("ServiceUnavailable", 503)),
    give("unknown refusal", false, always, says("SomethingNewException")),
    give("bad gateway", false, always, proxy(502)),
    give("gateway timeout", false, always, proxy(504)),
  ];
  return Object.fromEntries(all.map((trouble) => [trouble.name, trouble]));
}

/** All that a network does, in the proportion it comes in. */
export const EVERY_DYNAMO_FAULT: SeededFaults["weights"] = {
  unsent: 2,
  lost: 4,
  silent: 0.5,
  delayed: 2,
  reordered: 2,
  duplicated: 2,
  resent: 2,
  late: 3,
  torn: 2,
  refused: 8,
};

/** What a plan must not do: trouble that never comes so, and what is refused for sure, applied. */
export function sparesTrouble(fault: Fault, request: Request): boolean {
  if (fault.fault !== "refused") return false;
  const trouble = fault.refusal as Trouble;
  return !trouble.comesTo(operationOf(request)) || (trouble.isDefinite && fault.applied);
}

/** The first operation of a transaction is at fault, the others are not. */
function oneReason(request: Request, code: string): { readonly Code: string }[] {
  const { TransactItems } = bodyOf<{ TransactItems: readonly unknown[] }>(request);
  return TransactItems.map((_, i) => ({ Code: i === 0 ? code : "None" }));
}

/**
 * A service that answers less than it could, as it may: of a batch of reads some, of a page a part.
 */
export function stingy(handler: Handler, prng: Prng): Handler {
  return (request) => {
    switch (operationOf(request)) {
      case "BatchGetItem":
        return batchInPart(handler, request, prng);
      case "Query":
      case "Scan": {
        const body = bodyOf<{ Limit?: number }>(request);
        const most = body.Limit ?? 8;
        const Limit = 1 + randomBelow(prng, most);
        return handler({ ...request, body: utf8(JSON.stringify({ ...body, Limit })) });
      }
      default:
        return handler(request);
    }
  };
}

interface BatchGet {
  readonly RequestItems: Readonly<Record<string, { readonly Keys: readonly unknown[] }>>;
}

function batchInPart(handler: Handler, request: Request, prng: Prng): Response {
  const body = bodyOf<BatchGet>(request);
  const served: Record<string, object> = {};
  const left: Record<string, object> = {};
  for (const [table, asked] of Object.entries(body.RequestItems)) {
    const count = 1 + randomBelow(prng, asked.Keys.length);
    served[table] = { ...asked, Keys: asked.Keys.slice(0, count) };
    if (count < asked.Keys.length) left[table] = { ...asked, Keys: asked.Keys.slice(count) };
  }
  const part = { ...body, RequestItems: served };
  const response = handler({ ...request, body: utf8(JSON.stringify(part)) });
  const answer = JSON.parse(utf8Text(response.body)) as object;
  return withBody(response, { ...answer, UnprocessedKeys: left });
}

function bodyOf<T>(request: Request): T {
  return JSON.parse(utf8Text(request.body)) as T;
}
