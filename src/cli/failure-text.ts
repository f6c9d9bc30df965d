import { type ErrorKind, FirnError } from "../base/error.ts";
import { ApiError } from "../client/client.ts";
import { describe } from "../http/failure.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { plain } from "./screen.ts";

/** What a command says of a failure, and ends with. */
export interface Failure {
  readonly text: string;
  readonly exitCode: number;
  readonly code: string;
}

/** A failure that a person can do something about; undefined of a defect. */
export function failureOf(thrown: unknown): Failure | undefined {
  if (thrown instanceof ApiError) {
    const { code, detail, errors = [], kind } = thrown.problem;
    const lines = errors.map(
      ({ pointer, parameter, detail: says }) => `  ${plain(pointer ?? parameter ?? "")}: ${says}\n`,
    );
    const text = `firn: ${plain(detail)} [${code}]\n${lines.join("")}`;
    return { text, exitCode: exitCodeOf(kind as ErrorKind) ?? EXIT.failed, code };
  }
  if (!(thrown instanceof FirnError)) return undefined;
  const { kind, code, message, context } = thrown;
  const exitCode = NOT_FOUND.has(code) ? EXIT.notFound : exitCodeOf(kind);
  return { text: `firn: ${plain(describe(message, context))} [${code}]\n`, exitCode, code };
}

/** Where no store is, there is nothing to find either. */
const NOT_FOUND: ReadonlySet<string> = new Set(["LSM_NO_SHARD"]);
