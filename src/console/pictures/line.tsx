import { Picture } from "./picture.tsx";
import { scaleOf } from "./scale.ts";

export interface Point {
  readonly name: string;
  readonly atMs: number;
  readonly value: number;
  readonly text: string;
}

interface LineProps {
  readonly title: string;
  /** In the order of time. */
  readonly points: readonly Point[];
  /** A figure of the scale, as text. */
  readonly textOf: (value: number) => string;
  /** It counts bytes: round figures of it are round in KiB, MiB and so on. */
  readonly isBytes?: boolean;
}

const HEIGHT = 170;
const [TOP, BOTTOM, RIGHT] = [14, 22, 6];
/** Room for the figures of the scale. */
const LEFT = 62;
/** More points would hide each other. */
const DOTS = 60;

/** `2026-11-27 14:05`, and no year or day where all points share it. */
function timeTexts(fromMs: number, toMs: number): readonly [string, string] {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString().replace("T", " "));
  if (from === undefined || to === undefined) return ["", ""];
  const isOneDay = from.slice(0, 10) === to.slice(0, 10);
  return isOneDay ? [from.slice(11, 19), to.slice(11, 19)] : [from.slice(0, 16), to.slice(0, 16)];
}

/** A figure over time, in steps: it holds until the next commit. */
export function Line({ title, points, textOf, isBytes = false }: LineProps) {
  const fromMs = points[0]?.atMs ?? 0;
  const toMs = points.at(-1)?.atMs ?? 0;
  const scale = scaleOf(
    points.reduce((so, { value }) => Math.max(so, value), 0),
    isBytes,
  );
  const most = scale.at(-1) ?? 1;
  const floor = HEIGHT - BOTTOM;
  const y = (value: number) => floor - (value / most) * (floor - TOP);
  const drawn = (width: number) => {
    const span = Math.max(1, toMs - fromMs);
    const x = (atMs: number) => LEFT + ((atMs - fromMs) / span) * (width - LEFT - RIGHT);
    const steps = points.map(({ atMs, value }, i) =>
      i === 0 ? `M${x(atMs)} ${y(value)}` : `H${x(atMs)}V${y(value)}`,
    );
    const line = steps.join("");
    const [first, last] = timeTexts(fromMs, toMs);
    return (
      <>
        {scale.map((value) => (
          <g key={value}>
            <path class="rule" d={`M${LEFT} ${y(value)}H${width - RIGHT}`} />
            <text class="axis end" x={LEFT - 8} y={y(value) + 4}>
              {textOf(value)}
            </text>
          </g>
        ))}
        <path class="area" d={`${line}V${floor}H${LEFT}Z`} />
        <path class="line" d={line} />
        {points.length <= DOTS &&
          points.map(({ name, atMs, value, text }) => (
            <circle key={name} class="dot" cx={x(atMs)} cy={y(value)} r={3}>
              <title>{`${name}: ${text}`}</title>
            </circle>
          ))}
        <text class="axis" x={LEFT} y={HEIGHT - 5}>
          {first}
        </text>
        <text class="axis end" x={width - RIGHT} y={HEIGHT - 5}>
          {last} UTC
        </text>
      </>
    );
  };
  return (
    <Picture
      title={title}
      height={HEIGHT}
      figures={points.map(({ name, text }) => [name, text] as const)}
    >
      {drawn}
    </Picture>
  );
}
