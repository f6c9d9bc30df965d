import type { GraphItem, GraphRow } from "./graph-layout.ts";

const LANE = 14;
const ROW = 36;

/** The part of a branch graph beside one row: lines that pass, and its own snapshot. */
export function GraphCell<T extends GraphItem>({
  row,
  lanes,
}: {
  readonly row: GraphRow<T>;
  readonly lanes: number;
}) {
  const at = (lane: number) => lane * LANE + LANE / 2 + 1;
  const [own, middle] = [at(row.lane), ROW / 2];
  return (
    <svg class="graph" width={lanes * LANE + 2} height={ROW} aria-hidden="true">
      {row.through.map((lane) => (
        <path key={lane} class={`lane l${lane % 6}`} d={`M${at(lane)} 0V${ROW}`} />
      ))}
      {row.joins.map((lane) => (
        <path
          key={lane}
          class={`lane l${lane % 6}`}
          d={`M${at(lane)} 0C${at(lane)} ${middle * 0.8} ${own} ${middle * 0.4} ${own} ${middle}`}
        />
      ))}
      {row.comes && <path class={`lane l${row.lane % 6}`} d={`M${own} 0V${middle}`} />}
      {row.goesOn && <path class={`lane l${row.lane % 6}`} d={`M${own} ${middle}V${ROW}`} />}
      <circle class={`knot l${row.lane % 6}`} cx={own} cy={middle} r={4} />
    </svg>
  );
}
