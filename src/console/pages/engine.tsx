import type { Shard } from "../../api/status-operations.ts";
import { client, useLoaded } from "../data.ts";
import { bytesText, countText } from "../format.ts";
import { Facts, Figure } from "../parts/facts.tsx";
import { Heading } from "../parts/heading.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { useEvery } from "../parts/use-every.ts";
import { Levels } from "../pictures/levels.tsx";
import { STRINGS } from "../strings.ts";

const EVERY_MS = 5_000;

/** The shards of this node: what each level of the tree holds. */
export function EnginePage() {
  const { data, error, reload } = useLoaded("shards", () => client.call("listShards", {}));
  useEvery(EVERY_MS, true, reload);
  return (
    <>
      <Heading name={STRINGS.engine} badges={[STRINGS.live]} />
      <Shown data={data} error={error}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={STRINGS.noShards} />
          ) : (
            items.map((shard) => <ShardView key={shard.name} shard={shard} />)
          )
        }
      </Shown>
    </>
  );
}

function sumOf(shard: Shard, of: (level: Shard["levels"][number]) => string | number): string {
  return String(shard.levels.reduce((sum, level) => sum + BigInt(of(level)), 0n));
}

function ShardView({ shard }: { readonly shard: Shard }) {
  const runs = shard.levels.filter(({ tables }) => tables > 0).length;
  const entries = sumOf(shard, (level) => level.entries);
  const tombstones = sumOf(shard, (level) => level.tombstones);
  return (
    <section>
      <h2>{shard.name}</h2>
      <div class="figures">
        <Figure name="In tables" value={bytesText(sumOf(shard, (level) => level.bytes))} />
        <Figure name="In memory" value={bytesText(shard.memtableBytes)} note="memtables" />
        <Figure name="Sorted runs" value={countText(runs)} />
        <Figure
          name="Tombstones"
          value={countText(tombstones)}
          note={`of ${countText(entries)} entries`}
        />
        <Figure
          name="Compaction debt"
          value={bytesText(shard.compactionDebtBytes)}
          note="to rewrite"
        />
        <Figure name="Obsolete" value={bytesText(shard.obsoleteBytes)} note="to delete" />
      </div>
      <Levels shard={shard} />
      <Facts
        facts={[
          ["Epoch", shard.epoch],
          ["Last sequence number", countText(shard.lastSequence)],
          ["Durable up to", countText(shard.durableSequence)],
        ]}
      />
    </section>
  );
}
