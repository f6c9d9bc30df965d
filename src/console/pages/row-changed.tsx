import type { Column } from "../../api/resources.ts";
import type { JsonRow } from "../../api/row-operations.ts";
import { Value } from "../parts/value.tsx";
import type { ReadRow } from "../row-values.ts";
import { STRINGS } from "../strings.ts";

interface RowChangedProps {
  readonly columns: readonly Column[];
  /** The row as it was read. */
  readonly before: JsonRow;
  /** As it is now; null: there is none. */
  readonly now: ReadRow | null;
  readonly onTake: (now: ReadRow) => void;
}

/** A row that another writer changed: both of its states, and the way to go on from the new one. */
export function RowChanged({ columns, before, now, onTake }: RowChangedProps) {
  if (now === null) return <p>{STRINGS.rowGone}</p>;
  const names = columns.map(({ name }) => name);
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(now.row[name]),
  );
  return (
    <section class="row-changed">
      <table class="small">
        <thead>
          <tr>
            <th scope="col">{STRINGS.column}</th>
            <th scope="col">{STRINGS.rowRead}</th>
            <th scope="col">{STRINGS.rowNow}</th>
          </tr>
        </thead>
        <tbody>
          {/* A browser may read two long numbers as one: then the whole row is shown. */}
          {(changed.length > 0 ? changed : names).map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <Value value={before[name]} />
              </td>
              <td>
                <Value value={now.row[name]} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={() => onTake(now)}>
        {STRINGS.takeRow}
      </button>
    </section>
  );
}
