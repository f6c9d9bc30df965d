import type { Sim } from "../harness/sim.ts";
import type { Member } from "./member.ts";

/** What must hold of a shard that nothing is under way in any more. */
export async function verify(sim: Sim, member: Member): Promise<void> {
  const everything = { range: {}, limit: Number.POSITIVE_INFINITY, where: "memory" } as const;
  const atOnce = async (): Promise<void> => undefined;
  const compare = async (): Promise<void> => {
    const up = await member.scan({ ...everything, reverse: false }, atOnce);
    await member.scan({ ...everything, reverse: true }, atOnce);
    await member.get(
      up.map(([key]) => key ?? ""),
      "memory",
    );
  };
  await compare();
  await member.engine.flush();
  await member.engine.compact();
  await compare();
  const fate = await member.write([{ op: "put", key: "last", value: "word" }]);
  await fate();
  await member.engine.flush();
  await compare();
  const { durableSequence, lastSequence } = member.engine.stats();
  sim.must(durableSequence === lastSequence, () => `${durableSequence} of ${lastSequence} durable`);
  await member.engine.close();
  // All is in tables, no transaction is open, and nothing is merged any more.
  const { memory } = member.engine.stats();
  const counted = memory.memtableBytes + memory.recentBytes + memory.workBytes;
  sim.must(counted === 0, () => `the budget counts ${JSON.stringify(memory)}`);
}
