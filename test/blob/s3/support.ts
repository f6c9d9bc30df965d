import { SeededPrng } from "../../../src/base/prng.ts";
import type { S3Timeouts } from "../../../src/blob/s3/options.ts";
import type { S3Request } from "../../../src/blob/s3/wire.ts";
import { type Fault, faulty, type Plan, type Refusal } from "../../double/faults.ts";
import { type OpenedS3, openS3 } from "../../double/s3/open.ts";
import type { S3ServiceOptions } from "../../double/s3/service.ts";
import { LAST_WORDS, TROUBLE } from "../../double/s3/trouble.ts";
import type { Request } from "../../double/server.ts";

/** What happens to the next request of that method, then to the next of the entry after it. */
export type Step = readonly [method: string, fault: Fault];

/** The answer of trouble of that name. */
export function refusal(name: string): Refusal {
  const found = [...TROUBLE, ...LAST_WORDS].find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no refusal ${name}`);
  return found;
}

export function refused(name: string, applied = false): Fault {
  return { fault: "refused", refusal: refusal(name), applied };
}

export interface ScriptedS3 extends OpenedS3 {
  /** Adds steps to what is left of the script. */
  next(...steps: readonly Step[]): void;
  /** What becomes of every request that no step is for. */
  always(fault: Fault | undefined): void;
  /** Applies whatever is under way still. */
  settle(): void;
  /** Every request that came, as it stood on the wire. */
  readonly seen: readonly Request[];
  /** Operations of the adapter's requests so far, each with its failure if it had one. */
  readonly sent: string[];
  /** An adapter that is heard by `sent`. */
  heard(options?: Parameters<OpenedS3["store"]>[0]): ReturnType<OpenedS3["store"]>;
}

const PATIENT: Partial<S3Timeouts> = { idleMs: 5_000, wholeMs: 10_000, callMs: 20_000 };
/** For who meets silence: nobody else, since a busy machine is silent too. */
export const QUICK: Partial<S3Timeouts> = { ...PATIENT, idleMs: 60 };

/** The double behind a network that follows a script. */
export async function scriptedS3(options: S3ServiceOptions = {}): Promise<ScriptedS3> {
  const steps: Step[] = [];
  let standing: Fault | undefined;
  const plan: Plan = ({ method }) => {
    const [step] = steps;
    if (step?.[0] !== method) return standing;
    steps.shift();
    return step[1];
  };
  let settle = (): void => {};
  const seen: Request[] = [];
  const s3 = await openS3(options, ({ handler }) => {
    const network = faulty(handler, new SeededPrng(1), plan);
    settle = () => network.settle();
    network.onRequest = ({ request }) => void seen.push(request);
    return network.service;
  });
  const sent: string[] = [];
  const onRequest = ({ operation, failure }: S3Request): void => {
    sent.push(failure === undefined ? operation : `${operation} ${failure.reason}`);
  };
  return {
    ...s3,
    sent,
    seen,
    next: (...more) => void steps.push(...more),
    always: (fault) => {
      standing = fault;
    },
    settle: () => settle(),
    heard: (more = {}) => s3.store({ timeouts: PATIENT, ...more }, { onRequest }),
  };
}
