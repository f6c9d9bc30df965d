import { loadGrammar } from "../../../src/sql/parse/parse-text.ts";
import { FAIR } from "../harness/faults.ts";
import type { Sim, Suite } from "../harness/sim.ts";
import type { Member } from "../lsm/member.ts";
import { LSM_SITES } from "../lsm/places.ts";
import { inMemory, Shard } from "../lsm/shard.ts";
import { disturb, inFairWeather, LSM_SUITE } from "../lsm/suite.ts";
import { Owners } from "../rows/history.ts";
import { Refused, type SqlClient } from "./client.ts";
import { Ledger } from "./ledger.ts";
import { SimNames } from "./names.ts";
import { Queue } from "./queue.ts";
import { SqlServer } from "./server.ts";
import { LEVELS } from "./session.ts";
import { foundingBy } from "./tables.ts";
import { SqlUser } from "./user.ts";
import { verifyTables } from "./verify.ts";

/** SQL sessions on a shard that processes take over from each other, among faults. */
export const SQL_SUITE: Suite = {
  name: "sql",
  sites: LSM_SITES,
  operations: {
    open: LSM_SUITE.operations["open"] ?? [],
    session: [
      ...["wal write", "wal list", "disk write", "disk names"],
      ...["table write", "table read", "manifest read", "manifest write"],
    ],
    housekeeping: ["process"],
  },
  fullSeeds: 2_000,
  run: async (sim) => {
    await sim.clock.outside(loaded());
    const shard = new Shard(sim, inMemory(sim), 0.5, new Owners(sim));
    const names = new SimNames(sim);
    const servers = serversOf(sim, names);
    const ledger = new Ledger(sim);
    const founder = await shard.open("founder", FAIR, "refuse");
    await inFairWeather("founder", async () => found(sim, await session(servers(founder))));
    founder.host.crash();
    shard.members.length = 0;
    names.isFair = false;
    const contenders = shard.contend();
    const chaos = sim.spawn(() => disturb(sim, shard));
    const level = sim.pick(LEVELS);
    sim.log(`lists are ${level}`);
    const queue = new Queue(sim, ledger);
    const parts = { sim, shard, ledger, queue, level, serverOf: servers };
    const count = 2 + sim.below(5);
    const users = Array.from({ length: count }, (_, index) => new SqlUser(parts, `u${index}`));
    await Promise.all(users.map((user) => sim.spawn(() => user.work(10 + sim.below(25)))));
    for (const member of shard.members) await servers(member).verifyIdle();
    shard.calm();
    names.isFair = true;
    await Promise.all([...contenders, chaos]);
    sim.coverage.note(`owners ${Math.min(shard.history.epochs, 20)}`);
    for (const name of ["heir", "reader"]) {
      await inFairWeather(name, async () => {
        const member = await shard.open(name, FAIR, "takeover");
        const server = servers(member);
        await verifyTables(parts, users, member, server);
        await member.engine.flush();
        await member.engine.compact();
        await verifyTables(parts, users, member, server);
        await member.engine.close();
        await shard.verify();
      });
    }
    return async () => undefined;
  },
};

/** What is loaded with the first statement: no time passes meanwhile. */
async function loaded(): Promise<void> {
  await Promise.all([loadGrammar(), import("pgsql-deparser")]);
}

/** One server for each process that has the shard open. */
function serversOf(sim: Sim, names: SimNames): (member: Member) => SqlServer {
  const servers = new WeakMap<Member, SqlServer>();
  return (member) => {
    let server = servers.get(member);
    if (server === undefined) {
      server = new SqlServer(sim, member, names);
      servers.set(member, server);
    }
    return server;
  };
}

async function session(server: SqlServer): Promise<SqlClient> {
  return await server.connect("founder", {});
}

/** A small engine may be asked for more than it can take in at once. */
async function found(sim: Sim, client: SqlClient): Promise<void> {
  for (const sql of foundingBy(sim.below(4))) {
    for (let tries = 0; ; tries++) {
      try {
        await client.query(sql);
        break;
      } catch (error) {
        const isBusy = error instanceof Refused && error.state === "53000";
        if (!isBusy || tries === 100) throw error;
        await sim.sleep(1_000);
      }
    }
  }
}
