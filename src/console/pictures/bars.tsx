import { Picture } from "./picture.tsx";

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly text: string;
}

const HEIGHT = 130;
const [TOP, BOTTOM] = [16, 20];

interface BarsProps {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly note?: string;
}

/** Upright bars, such as one an hour. Only the first and the last are named. */
export function Bars({ title, bars, note }: BarsProps) {
  const highest = bars.reduce<Bar | undefined>(
    (most, bar) => (most === undefined || bar.value > most.value ? bar : most),
    undefined,
  );
  const most = Math.max(Number.MIN_VALUE, highest?.value ?? 0);
  const floor = HEIGHT - BOTTOM;
  const drawn = (width: number) => {
    const step = width / Math.max(1, bars.length);
    return (
      <>
        <path class="rule" d={`M0 ${TOP}H${width}M0 ${floor}H${width}`} />
        <text class="axis" x={0} y={TOP - 4}>
          {highest === undefined || highest.value === 0 ? "" : `most: ${highest.text}`}
        </text>
        {bars.map(({ name, value, text }, i) => {
          const height = value === 0 ? 0 : Math.max(2, (value / most) * (floor - TOP));
          return (
            <rect
              key={name}
              class="bar"
              x={i * step + 1}
              y={floor - height}
              width={Math.max(1, step - 2)}
              height={height}
              rx={1.5}
            >
              <title>{`${name}: ${text}`}</title>
            </rect>
          );
        })}
        <text class="axis" x={0} y={HEIGHT - 5}>
          {bars[0]?.name}
        </text>
        <text class="axis end" x={width} y={HEIGHT - 5}>
          {bars.at(-1)?.name}
        </text>
      </>
    );
  };
  return (
    <Picture
      title={title}
      height={HEIGHT}
      figures={bars.map(({ name, text }) => [name, text] as const)}
      {...(note !== undefined && { note })}
    >
      {drawn}
    </Picture>
  );
}

/** A bar within a cell of a table: a share of the most. */
export function Share({ value, most }: { readonly value: number; readonly most: number }) {
  const share = most === 0 ? 0 : Math.max(0.01, value / most);
  return (
    <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar none" x="0" y="0" width={100} height="8" rx="1" />
      {value > 0 && <rect class="bar" x="0" y="0" width={share * 100} height="8" rx="1" />}
    </svg>
  );
}
