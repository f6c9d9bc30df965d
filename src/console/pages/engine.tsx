import type { Shard } from "../../api/status-operations.ts";
import { client, useLoaded } from "../data.ts";
import { bytesText, countText } from "../format.ts";
import { Facts } from "../parts/facts.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Picture } from "../pictures/picture.tsx";
import { STRINGS } from "../strings.ts";

/** The shards of this node: what each level of the tree holds. */
export function EnginePage() {
  const { data, error } = useLoaded("shards", () => client.call("listShards", {}));
  return (
    <>
      <h1 tabIndex={-1}>{STRINGS.engine}</h1>
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

function ShardView({ shard }: { readonly shard: Shard }) {
  return (
    <section>
      <h2>{shard.name}</h2>
      <Levels shard={shard} />
      <Facts
        facts={[
          ["In memory", bytesText(shard.memtableBytes)],
          ["Waits to be merged", bytesText(shard.compactionDebtBytes)],
          ["Waits to be deleted", bytesText(shard.obsoleteBytes)],
          ["Epoch", shard.epoch],
          ["Last sequence", countText(shard.lastSequence)],
          ["Durable up to", countText(shard.durableSequence)],
        ]}
      />
    </section>
  );
}

const WIDTH = 640;
const ROW = 34;
const NAMED = 70;

/** One bar for the memtable and each level; the dark part of a bar is tombstones. */
function Levels({ shard }: { readonly shard: Shard }) {
  const memory = { name: "memory", bytes: Number(shard.memtableBytes), note: "", dead: 0 };
  const levels = shard.levels.map(({ level, bytes, tables, entries, tombstones }) => ({
    name: level === 0 ? "level 0" : `run ${level}`,
    bytes: Number(bytes),
    note: `${tables} tables, ${countText(entries)} entries`,
    dead: Number(entries) === 0 ? 0 : Number(tombstones) / Number(entries),
  }));
  const rows = [memory, ...levels];
  const most = Math.max(1, ...rows.map(({ bytes }) => bytes));
  return (
    <Picture
      title={`Levels of ${shard.name}`}
      width={WIDTH}
      height={rows.length * ROW}
      figures={rows.map(({ name, bytes, note }) => [name, `${bytesText(bytes)} ${note}`] as const)}
    >
      {rows.map(({ name, bytes, dead, note }, i) => {
        const width = Math.max(2, (bytes / most) * (WIDTH - NAMED - 90));
        return (
          <g key={name}>
            <text class="axis" x={0} y={i * ROW + 20}>
              {name}
            </text>
            <rect class="bar" x={NAMED} y={i * ROW + 6} width={width} height={ROW - 12} rx={3}>
              <title>{`${name}: ${bytesText(bytes)} ${note}`}</title>
            </rect>
            {dead > 0 && (
              <rect
                class="bar dead"
                x={NAMED}
                y={i * ROW + 6}
                width={width * dead}
                height={ROW - 12}
                rx={3}
              />
            )}
            <text class="axis" x={NAMED + width + 8} y={i * ROW + 20}>
              {bytesText(bytes)}
            </text>
          </g>
        );
      })}
    </Picture>
  );
}
