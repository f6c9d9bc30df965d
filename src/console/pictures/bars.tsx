import { Picture } from "./picture.tsx";

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly text: string;
}

const WIDTH = 640;
const HEIGHT = 120;
const BOTTOM = 18;

/** Upright bars, such as one an hour. Only the first and the last are named. */
export function Bars({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = WIDTH / Math.max(1, bars.length);
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <Picture
      title={title}
      width={WIDTH}
      height={HEIGHT}
      figures={bars.map(({ name, text }) => [name, text] as const)}
    >
      {bars.map(({ name, value, text }, i) => {
        const height = value === 0 ? 1 : Math.max(2, (value / most) * (HEIGHT - BOTTOM - 4));
        return (
          <rect
            key={name}
            class={value === 0 ? "bar none" : "bar"}
            x={i * step + 1}
            y={HEIGHT - BOTTOM - height}
            width={Math.max(1, step - 2)}
            height={height}
            rx={1.5}
          >
            <title>{`${name}: ${text}`}</title>
          </rect>
        );
      })}
      <text class="axis" x={0} y={HEIGHT - 4}>
        {first?.name}
      </text>
      <text class="axis end" x={WIDTH} y={HEIGHT - 4}>
        {last?.name}
      </text>
    </Picture>
  );
}

/** A bar within a cell of a table: a share of the most. */
export function Share({ value, most }: { readonly value: number; readonly most: number }) {
  const share = most === 0 ? 0 : Math.max(0.01, value / most);
  return (
    <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar" x="0" y="0" width={share * 100} height="8" />
    </svg>
  );
}
