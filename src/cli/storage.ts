import { FirnError } from "../base/error.ts";
import { describe } from "../http/failure.ts";
import { SystemClock } from "../runtime/clock.ts";
import { initStorage } from "../runtime/init-storage.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import { checkStorage } from "../runtime/storage-check.ts";
import type { StoreAsked, StoreReport } from "../service/stores/store-report.ts";
import type { Output } from "./output.ts";

/**
 * Makes bucket and table, and says what it found.
 *
 * @returns the exit code: 1 where they cannot be made, or do not do what they must.
 */
export async function storageInit(settings: Settings, output: Output): Promise<number> {
  try {
    const lines = await initStorage(settings, { clock: new SystemClock(), prng: new SystemPrng() });
    for (const line of lines) output.print(`${line}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    output.printError(`firn: ${describe(error.message, error.context)} [${error.code}]\n`);
    return 1;
  }
}

/** A line of `firn storage check`, as it was understood. */
export interface StorageCheckCommand {
  readonly settings: Settings;
  /** `s3://bucket/prefix`; undefined: what the settings name. */
  readonly location: string | undefined;
  readonly json: boolean;
}

const SAFE = 0;
const UNSAFE = 1;
const NOT_CHECKED = 2;

/**
 * Says what stores enforce, and whether writes to them may be signed for clients.
 *
 * @returns the exit code: 0 where all of them are safe, 1 where one is not, 2 where it could not be
 *   found out.
 */
export async function storageCheck(
  { settings, location, json }: StorageCheckCommand,
  output: Output,
): Promise<number> {
  const components = { clock: new SystemClock(), prng: new SystemPrng() };
  let code: number = SAFE;
  try {
    for await (const report of checkStorage(location, settings, components)) {
      output.print(json ? `${JSON.stringify(report)}\n` : textOf(report));
      if (report.problems.length > 0) code = UNSAFE;
    }
    return code;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    output.printError(`firn: ${describe(error.message, error.context)} [${error.code}]\n`);
    return NOT_CHECKED;
  }
}

const NAMES: Readonly<Record<StoreAsked, string>> = {
  conditionalWrites: "conditional writes",
  signatures: "signatures",
  unsignedHeaders: "unsigned headers",
  signedBodies: "signed bodies",
  literalDots: ".. is a name",
  literalSlashes: "// is a name",
  pathStyle: "path style",
  sessionPolicies: "session policies",
};

function textOf({ location, region, base, findings, ...verdict }: StoreReport): string {
  const lines = findings.map(({ asked, holds, detail }) => {
    const outcome = holds === undefined ? "-" : holds ? "yes" : "no";
    return `  ${NAMES[asked].padEnd(20)}${outcome.padEnd(5)}${detail}\n`;
  });
  const { readSigning, writeSigning, problems } = verdict;
  const signing = `  remote signing: reads ${readSigning}, writes ${writeSigning}\n`;
  const unsafe = problems.map((problem) => `  unsafe: ${problem}\n`);
  return `${location} at ${base} (${region})\n${lines.join("")}${signing}${unsafe.join("")}`;
}
