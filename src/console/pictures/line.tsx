import { Picture } from "./picture.tsx";

export interface Point {
  readonly name: string;
  readonly atMs: number;
  readonly value: number;
  readonly text: string;
}

const WIDTH = 640;
const HEIGHT = 140;
const PAD = 6;
const BOTTOM = 18;

/** A figure over time, in steps: it holds until the next commit. */
export function Line({
  title,
  points,
}: {
  readonly title: string;
  readonly points: readonly Point[];
}) {
  const from = points[0]?.atMs ?? 0;
  const span = Math.max(1, (points.at(-1)?.atMs ?? 0) - from);
  const most = Math.max(1, ...points.map(({ value }) => value));
  const x = ({ atMs }: Point) => PAD + ((atMs - from) / span) * (WIDTH - 2 * PAD);
  const y = ({ value }: Point) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - 2 * PAD);
  const steps = points.map((point, i) =>
    i === 0 ? `M${x(point)} ${y(point)}` : `H${x(point)}V${y(point)}`,
  );
  const line = steps.join("");
  return (
    <Picture
      title={title}
      width={WIDTH}
      height={HEIGHT}
      figures={points.map(({ name, text }) => [name, text] as const)}
    >
      <path class="area" d={`${line}V${HEIGHT - BOTTOM}H${PAD}Z`} />
      <path class="line" d={line} />
      {points.length <= 60 &&
        points.map((point) => (
          <circle key={point.name} class="dot" cx={x(point)} cy={y(point)} r={3}>
            <title>{`${point.name}: ${point.text}`}</title>
          </circle>
        ))}
      <text class="axis" x={PAD} y={HEIGHT - 4}>
        {points[0]?.name}
      </text>
      <text class="axis end" x={WIDTH - PAD} y={HEIGHT - 4}>
        {points.at(-1)?.name}
      </text>
    </Picture>
  );
}
