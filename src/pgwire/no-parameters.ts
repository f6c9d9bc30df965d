import { invalid } from "../base/error.ts";

/** A simple query has no values for parameters. */
export function noParameters(number: number): Error {
  return invalid("PARAMETER_MISSING", `there is no parameter $${number}`, { sqlState: "42P02" });
}
