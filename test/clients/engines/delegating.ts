import type { DelegatingServer } from "../../cloud/delegating-server.ts";
import { startLending, startSigning } from "../../cloud/delegating-server.ts";
import { startMiniStack } from "../../cloud/ministack.ts";
import type { StandIn } from "../../cloud/stand-in.ts";
import { startVersitygw } from "../../cloud/versitygw.ts";
import { ADMIN_KEY } from "../../service/access/support.ts";
import { type Counts, missing } from "../counts.ts";

/** Servers over stores that the engines hold no credentials of, and what the tests know of them. */
export interface Delegating {
  readonly env: Readonly<Record<string, string>>;
  /** Of the stand-ins that this machine lacks. */
  readonly lacks: readonly Counts[];
  close(): Promise<void>;
}

interface Pair {
  readonly variable: string;
  readonly store: () => Promise<StandIn | string>;
  readonly serve: (url: string) => Promise<DelegatingServer>;
}

const PAIRS: readonly Pair[] = [
  {
    variable: "FIRN_TEST_LENT",
    store: () => startMiniStack({ judges: true }),
    serve: startLending,
  },
  { variable: "FIRN_TEST_SIGNED", store: startVersitygw, serve: startSigning },
];

export async function openDelegating(): Promise<Delegating> {
  const env: Record<string, string> = { FIRN_TEST_DELEGATING_KEY: ADMIN_KEY };
  const lacks: Counts[] = [];
  const open: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of open.toReversed()) await end();
  };
  try {
    for (const { variable, store, serve } of PAIRS) {
      const stand = await store();
      if (typeof stand === "string") {
        lacks.push(missing(`not tried: ${stand}`));
        continue;
      }
      open.push(() => stand.stop());
      const served = await serve(stand.url);
      open.push(() => served.close());
      env[`${variable}_URL`] = `${served.server.url}/iceberg`;
      env[`${variable}_AUDIT`] = served.auditLog;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { env, lacks, close };
}
