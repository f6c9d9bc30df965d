import { openEngine } from "./firn.ts";
import { resumeOptions } from "./resume-options.ts";

/** Compacts until so much is read and published, and ends as a process does that is killed. */
async function main(directory: string, stepBytes: number, untilBytes: number): Promise<void> {
  const options = resumeOptions(stepBytes);
  const engine = await openEngine(directory, { durable: false, options });
  void engine.compact();
  let steps = 0;
  const look = (): void => {
    const { inputBytes, compactions } = engine.stats().compaction;
    // As it runs on its own where compactions do.
    if (compactions > steps) void engine.collectGarbage();
    steps = compactions;
    if (inputBytes < untilBytes) return;
    process.send?.(inputBytes, () => process.kill(process.pid, "SIGKILL"));
  };
  setInterval(look, 5);
}

await main(process.argv[2] ?? "", Number(process.argv[3]), Number(process.argv[4]));
