import type { Bar } from "./bars.tsx";
import { Picture } from "./picture.tsx";

const WIDTH = 480;
const ROW = 22;
/** Where bars begin: names stand before them. */
const LEFT = 110;
/** What the figures behind the longest bar take. */
const RIGHT = 130;

/** Bars on their side, each with its name before it and its figures behind it. */
export function Ranges({
  title,
  ranges,
}: {
  readonly title: string;
  readonly ranges: readonly Bar[];
}) {
  const most = Math.max(1, ...ranges.map(({ value }) => value));
  return (
    <Picture
      title={title}
      width={WIDTH}
      height={ranges.length * ROW}
      figures={ranges.map(({ name, text }) => [name, text] as const)}
    >
      {ranges.map(({ name, value, text }, i) => {
        const width = value === 0 ? 1 : Math.max(2, (value / most) * (WIDTH - LEFT - RIGHT));
        const line = i * ROW + 15;
        return (
          <g key={name}>
            <text class="axis end" x={LEFT - 8} y={line}>
              {name}
            </text>
            <rect
              class={value === 0 ? "bar none" : "bar"}
              x={LEFT}
              y={i * ROW + 4}
              width={width}
              height={ROW - 8}
              rx={1.5}
            />
            <text class="axis" x={LEFT + width + 6} y={line}>
              {text}
            </text>
          </g>
        );
      })}
    </Picture>
  );
}
