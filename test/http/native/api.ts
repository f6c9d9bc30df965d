import { Compile } from "typebox/schema";
import type { ApiOperation } from "../../../src/api/operation.ts";
import { OPERATIONS, type OperationName } from "../../../src/api/operations.ts";
import { PROBLEM, type Problem } from "../../../src/api/resources.ts";
import { matchPath } from "../../../src/http/native/router.ts";
import { Firn, type FirnOptions } from "../../../src/index.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where there is none. */
  readonly body: unknown;
}

const LINES_TYPE = "application/x-ndjson";

const checks = new Map<object, ReturnType<typeof Compile>>();

function fits(schema: object, value: unknown): readonly unknown[] {
  const known = checks.get(schema) ?? Compile(schema);
  checks.set(schema, known);
  return known.Check(value) ? [] : known.Errors(value)[1];
}

/** JSON, or the values of its lines. */
function bodyOf(text: string, headers: Headers): unknown {
  if (headers.get("content-type") !== LINES_TYPE) {
    return text === "" ? undefined : JSON.parse(text);
  }
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}

/**
 * A client of the native API in this process. Whatever it is answered must be what the table says:
 * the status and schema of the operation, or a problem with a code.
 */
export class Api {
  readonly firn: Firn;
  /** Operations that have succeeded. */
  readonly succeeded: Set<OperationName> = new Set();

  private constructor(firn: Firn) {
    this.firn = firn;
  }

  static async open(options: FirnOptions = {}): Promise<Api> {
    return new Api(await Firn.open({ profile: "memory", logLevel: "silent", ...options }));
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const json = typeof body === "string" ? body : JSON.stringify(body);
    const response = await this.firn.fetch(
      new Request(`http://firn/api/v1${path}`, {
        method,
        headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
        ...(body !== undefined && { body: json }),
      }),
    );
    const text = await response.text();
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: bodyOf(text, response.headers),
    };
    this.#judge(method, path, answer);
    return answer;
  }

  /** As `ask`, of what must succeed: the body. */
  async done<T = Record<string, never>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const answer = await this.ask(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body as T;
  }

  /** As `ask`, of what must be refused: its status and problem. */
  async refused(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Problem> {
    const answer = await this.ask(method, path, body, headers);
    if (answer.status < 400) throw new Error(`${method} ${path}: was not refused`);
    return answer.body as Problem;
  }

  #judge(method: string, path: string, { status, body, text, headers }: Answer): void {
    const [target = ""] = path.split("?");
    const match = matchPath(method, target);
    if (status >= 400) {
      const problems = method === "HEAD" ? [] : fits(PROBLEM, body);
      const code = (body as Problem | undefined)?.code ?? headers.get("x-firn-error");
      if (problems.length > 0 || !code || headers.get("x-firn-error") !== code) {
        throw new Error(`${method} ${path}: no problem: ${text} ${JSON.stringify(problems)}`);
      }
      return;
    }
    if (match.found !== "route") throw new Error(`${method} ${path}: not in the table`);
    const { name, operation } = match.route;
    if (status === 304 || method === "HEAD") return;
    const { lines, answerLines, job } = operation;
    const isLines = headers.get("content-type") === LINES_TYPE;
    // What a job does is answered by that job.
    const isJob = job !== undefined && status === 202;
    const plain = isLines ? (answerLines ?? operation.answer) : operation.answer;
    const answer = isJob ? job : plain;
    const values = lines === true || isLines ? (body as readonly unknown[]) : [body];
    const problems = answer === undefined ? [] : values.flatMap((one) => fits(answer, one));
    const isEmpty = answer !== undefined || text === "";
    if (!(isJob || status === operation.status) || problems.length > 0 || !isEmpty) {
      throw new Error(`${method} ${path}: ${status} ${text} ${JSON.stringify(problems)}`);
    }
    this.succeeded.add(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.firn.close();
  }
}

/** Every operation with its name. */
export const ENTRIES = Object.entries(OPERATIONS) as [OperationName, ApiOperation][];

/** A path of a template, with values for what is in braces. */
export function pathOf(
  { template }: ApiOperation,
  values: Readonly<Record<string, string>> = {},
): string {
  return template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? `x-${name}`);
}
