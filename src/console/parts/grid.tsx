import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLook } from "../navigation.ts";
import { Icon } from "./icon.tsx";

export interface Column<T> {
  readonly name: string;
  /** Shown with the name under the pointer. */
  readonly title?: string;
  readonly of: (item: T) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Its name is for those alone who do not see what is in it. */
  readonly isNameless?: boolean;
  /** Left out where the page is narrow. */
  readonly isExtra?: boolean;
  readonly sort?: (a: T, b: T) => number;
}

interface GridProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly onOpen?: ((item: T) => void) | undefined;
  /** Asks for more items, when the end comes into sight. */
  readonly onEnd?: (() => void) | undefined;
  /** What the order of the rows is called in the address; else the address does not say it. */
  readonly sortAs?: string | undefined;
}

/** Height of a row, which the style sheet sets too. In pixels. */
const ROW = 36;
/** Rows drawn beyond both borders of the window. */
const MARGIN = 10;

/** The name of a column, behind `-` where the greatest comes first. */
type Sorting = string;

/** Kept in the address, where it has a name there. */
function useSorting(name: string | undefined): readonly [Sorting, (by: Sorting) => void] {
  const own = useState<Sorting>("");
  const looked = useLook(name ?? "");
  return name === undefined ? own : looked;
}

function sorted<T>(items: readonly T[], columns: readonly Column<T>[], by: Sorting): readonly T[] {
  const isDown = by.startsWith("-");
  const compare = columns.find(({ name }) => name === (isDown ? by.slice(1) : by))?.sort;
  if (compare === undefined) return items;
  return [...items].sort((a, b) => (isDown ? compare(b, a) : compare(a, b)));
}

/**
 * A table that draws only the rows in sight, so that 100,000 of them cost no more than 100. `j`
 * and `k` go through its rows, Enter opens one; Tab goes through what is in them.
 */
export function Grid<T>(props: GridProps<T>) {
  const { label, columns, items, keyOf, onOpen, onEnd, sortAs } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState({ from: 0, to: 60 });
  const [by, setBy] = useSorting(sortAs);
  const shown = sorted(items, columns, by);
  useEffect(() => {
    const measure = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / ROW) - MARGIN);
      const to = Math.ceil((innerHeight - top) / ROW) + MARGIN;
      setRange((was) => (was.from === from && was.to === to ? was : { from, to }));
      if (to >= items.length) onEnd?.();
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [items.length, onEnd]);
  const to = Math.min(range.to, shown.length);
  const from = Math.min(range.from, to);
  return (
    <table class="grid" aria-label={label} aria-rowcount={shown.length + 1}>
      <thead>
        <tr>
          {columns.map((column, i) => (
            <Head key={i} column={column} by={by} onSort={setBy} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {from > 0 && <Space rows={from} columns={columns.length} />}
        {shown.slice(from, to).map((item, i) => (
          <tr
            key={keyOf(item)}
            aria-rowindex={from + i + 2}
            tabIndex={-1}
            data-row={onOpen === undefined ? "" : "open"}
            onKeyDown={(event) => {
              if (event.key === "Enter" && event.target === event.currentTarget) onOpen?.(item);
            }}
          >
            {columns.map(({ of, isNumber, isExtra }, at) => (
              <td key={at} class={classOf(isNumber, isExtra)}>
                {of(item)}
              </td>
            ))}
          </tr>
        ))}
        {to < shown.length && <Space rows={shown.length - to} columns={columns.length} />}
      </tbody>
    </table>
  );
}

interface HeadProps<T> {
  readonly column: Column<T>;
  readonly by: Sorting;
  readonly onSort: (by: Sorting) => void;
}

function Head<T>({ column, by, onSort }: HeadProps<T>) {
  const { name, title, sort, isNumber, isNameless, isExtra } = column;
  const isUp = by === name ? true : by === `-${name}` ? false : undefined;
  const state = isUp === undefined ? "none" : isUp ? "ascending" : "descending";
  return (
    <th scope="col" title={title} class={classOf(isNumber, isExtra)} aria-sort={sort && state}>
      {sort === undefined ? (
        <span class={isNameless ? "hidden" : undefined}>{name}</span>
      ) : (
        <button type="button" onClick={() => onSort(isUp === true ? `-${name}` : name)}>
          {name}
          {isUp === undefined ? (
            <Icon name="sort" />
          ) : (
            <span aria-hidden="true">{isUp ? " ↑" : " ↓"}</span>
          )}
        </button>
      )}
    </th>
  );
}

function Space({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return (
    <tr class="space">
      <td colSpan={columns} style={{ height: `${rows * ROW}px` }} />
    </tr>
  );
}

function classOf(isNumber = false, isExtra = false): string | undefined {
  const names = [isNumber ? "number" : "", isExtra ? "extra" : ""].filter((name) => name !== "");
  return names.length === 0 ? undefined : names.join(" ");
}
