import type { Bar } from "./bars.tsx";
import { Picture } from "./picture.tsx";

const ROW = 26;
/** Where bars begin: names stand before them. */
const LEFT = 96;
/** What the figures behind the longest bar take. */
const RIGHT = 120;

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
      height={ranges.length * ROW}
      figures={ranges.map(({ name, text }) => [name, text] as const)}
    >
      {(width) =>
        ranges.map(({ name, value, text }, i) => {
          const room = Math.max(20, width - LEFT - RIGHT);
          const length = value === 0 ? 1 : Math.max(2, (value / most) * room);
          const line = i * ROW + 17;
          return (
            <g key={name}>
              <text class="axis end" x={LEFT - 8} y={line}>
                {name}
              </text>
              <rect
                class={value === 0 ? "bar none" : "bar"}
                x={LEFT}
                y={i * ROW + 5}
                width={length}
                height={ROW - 10}
                rx={2}
              />
              <text class="axis" x={LEFT + length + 6} y={line}>
                {text}
              </text>
            </g>
          );
        })
      }
    </Picture>
  );
}
