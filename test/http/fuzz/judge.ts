import { UNSERVED } from "../../../src/http/iceberg/unserved.ts";
import type { Broken } from "./broken.ts";
import type { AnyShot, Shot } from "./shots.ts";
import { type Exchange, parseAnswer, type WireAnswer } from "./wire.ts";

const NOT_SERVED: ReadonlySet<string> = new Set(
  UNSERVED.map(({ method, template }) => `${method} ${template}`),
);

/** What is wrong with what came back; undefined where nothing is. */
export function problemOf(shot: AnyShot, exchange: Exchange): string | undefined {
  if (exchange.end === "open") return `still open after ${Math.round(exchange.elapsedMs)} ms`;
  const answer = parseAnswer(exchange.received);
  if (!("operation" in shot)) return problemOfBroken(shot, answer);
  if (answer === undefined) return `no answer, the connection was ${exchange.end}`;
  return problemOfAnswer(shot, answer);
}

function problemOfBroken({ ends }: Broken, answer: WireAnswer | undefined): string | undefined {
  // Who goes away in the middle of a request need not be answered; who waits must be.
  if (answer === undefined) return ends ? undefined : "no answer";
  if (answer.status >= 500) return `status ${answer.status}`;
  return answer.status >= 400 ? problemOfError(answer, answer.body !== "") : undefined;
}

function problemOfAnswer(shot: Shot, answer: WireAnswer): string | undefined {
  const { status } = answer;
  const { method, template } = shot.operation;
  const unserved = NOT_SERVED.has(`${method} ${template}`);
  if (status >= 500 && !(status === 501 && unserved)) return `status ${status}`;
  if (answer.rest !== "" && method !== "HEAD") return `more than one answer: ${answer.rest}`;
  // Of what was no HTTP the server does not know that it was a HEAD; it closes behind its answer.
  const unread = answer.headers.get("x-firn-error") === "BAD_REQUEST";
  const bodiless = (method === "HEAD" && !unread) || status === 204 || status === 304;
  if (bodiless && answer.body !== "") return `a body where there is none: ${answer.body}`;
  if (status >= 400) return problemOfError(answer, !bodiless);
  if (bodiless) return undefined;
  return isObject(answer.body) ? undefined : `no JSON object: ${answer.body.slice(0, 100)}`;
}

/** Every error names its code; its body is the contract's, OAuth's, or a problem document. */
function problemOfError(answer: WireAnswer, hasBody: boolean): string | undefined {
  const { status, headers, body } = answer;
  if (!/^[A-Z][A-Z0-9_]+$/.test(headers.get("x-firn-error") ?? "")) return "no X-Firn-Error";
  if (!hasBody) return undefined;
  if (!isObject(body)) return `no JSON object: ${body.slice(0, 100)}`;
  const parsed = JSON.parse(body) as Record<string, unknown>;
  if (headers.get("content-type") === "application/problem+json") {
    return parsed["status"] === status ? undefined : `a problem document of ${parsed["status"]}`;
  }
  if (parsed["error"] === "unsupported_grant_type") return undefined;
  const error = parsed["error"] as Record<string, unknown> | undefined;
  const whole =
    typeof error?.["message"] === "string" &&
    /^\w+(Exception|Error)$/.test(String(error["type"])) &&
    error["code"] === status;
  return whole ? undefined : `not the error model: ${body.slice(0, 200)}`;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
