import type { Shard } from "../../api/status-operations.ts";
import { bytesText, countText } from "../format.ts";
import { Picture } from "./picture.tsx";

const ROW = 36;
/** Where bars begin, and what the figures behind them take. */
const [LEFT, RIGHT] = [74, 210];

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly note: string;
  /** Which part of it is tombstones. */
  readonly dead: number;
}

function rowsOf(shard: Shard): readonly Row[] {
  const memory = { name: "memory", bytes: Number(shard.memtableBytes), note: "", dead: 0 };
  const levels = shard.levels.map(({ level, bytes, tables, entries, tombstones }) => ({
    name: level === 0 ? "level 0" : `run ${level}`,
    bytes: Number(bytes),
    note: `${countText(tables)} ${tables === 1 ? "table" : "tables"}, ${countText(entries)} entries`,
    dead: Number(entries) === 0 ? 0 : Number(tombstones) / Number(entries),
  }));
  return [memory, ...levels];
}

function deadText(dead: number): string {
  return dead === 0 ? "" : `, ${(dead * 100).toFixed(1)} % tombstones`;
}

/** One bar for the memtable and each level; the end of a bar in another colour is tombstones. */
export function Levels({ shard }: { readonly shard: Shard }) {
  const rows = rowsOf(shard);
  const most = Math.max(1, ...rows.map(({ bytes }) => bytes));
  return (
    <Picture
      title={`Levels of ${shard.name}`}
      height={rows.length * ROW}
      figures={rows.map(
        ({ name, bytes, note, dead }) =>
          [name, `${bytesText(bytes)} ${note}${deadText(dead)}`] as const,
      )}
      note={<Legend />}
    >
      {(width) => rows.map((row, i) => <Level key={row.name} {...{ row, i, most, width }} />)}
    </Picture>
  );
}

interface LevelProps {
  readonly row: Row;
  readonly i: number;
  readonly most: number;
  readonly width: number;
}

function Level({ row: { name, bytes, note, dead }, i, most, width }: LevelProps) {
  const isWide = width > LEFT + RIGHT + 120;
  const room = Math.max(20, width - LEFT - (isWide ? RIGHT : 70));
  const length = bytes === 0 ? 0 : Math.max(2, (bytes / most) * room);
  const line = i * ROW + 22;
  return (
    <g>
      <text class="axis end" x={LEFT - 10} y={line}>
        {name}
      </text>
      <rect class="bar none" x={LEFT} y={i * ROW + 8} width={room} height={ROW - 16} rx={3} />
      <rect class="bar" x={LEFT} y={i * ROW + 8} width={length} height={ROW - 16} rx={3}>
        <title>{`${name}: ${bytesText(bytes)} ${note}${deadText(dead)}`}</title>
      </rect>
      {dead > 0 && (
        <rect
          class="bar dead"
          x={LEFT + length * (1 - dead)}
          y={i * ROW + 8}
          width={Math.max(1, length * dead)}
          height={ROW - 16}
          rx={3}
        />
      )}
      <text class="axis" x={LEFT + room + 8} y={line}>
        {bytesText(bytes)}
        {isWide && note !== "" ? ` · ${note}` : ""}
      </text>
    </g>
  );
}

function Legend() {
  return (
    <>
      <span class="swatch" /> bytes <span class="swatch dead" /> share of tombstones
    </>
  );
}
