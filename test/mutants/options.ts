import { createHash } from "node:crypto";
import { parseArgs } from "node:util";

export interface Options {
  /** Judges only this share of the patches, chosen by `seed`: another seed chooses others. */
  readonly share: number;
  readonly seed: string;
  readonly isVerbose: boolean;
  /** Judges only patches whose names hold one of the texts; all where there is none. */
  readonly wanted: readonly string[];
}

/** @throws Error for what cannot be run. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      verbose: { type: "boolean", default: false },
      share: { type: "string", default: "1" },
      seed: { type: "string", default: "" },
    },
    allowPositionals: true,
  });
  const share = Number(values.share);
  if (!(share > 0 && share <= 1)) throw new Error(`--share is not in (0, 1]: ${values.share}`);
  return { share, seed: values.seed, isVerbose: values.verbose, wanted: positionals };
}

/** Whether a patch is judged. */
export function isChosen({ share, seed, wanted }: Options, file: string): boolean {
  if (wanted.length > 0 && !wanted.some((text) => file.includes(text))) return false;
  const digest = createHash("sha256").update(`${seed}\0${file}`).digest();
  return digest.readUInt32BE() / 2 ** 32 < share;
}
