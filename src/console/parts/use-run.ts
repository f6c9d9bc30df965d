import { useState } from "preact/hooks";
import { ApiError } from "../../client/client.ts";
import { STRINGS } from "../strings.ts";

interface Run {
  /** Why the last one was refused. */
  readonly refusal: string | undefined;
  /** Does something; answers whether it was done. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Changes that a view asks for, and what the server says against them. */
export function useRun(): Run {
  const [refusal, setRefusal] = useState<string>();
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setRefusal(undefined);
    try {
      await work();
      return true;
    } catch (error) {
      const isTold = error instanceof ApiError || error instanceof RangeError;
      setRefusal(isTold ? error.message : STRINGS.gone);
      return false;
    }
  };
  return { refusal, run };
}
