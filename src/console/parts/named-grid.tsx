import { go } from "../navigation.ts";
import type { Route } from "../route.ts";
import { type Column, Grid } from "./grid.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Link } from "./link.tsx";

interface NamedGridProps<T> {
  readonly label: string;
  readonly icon: IconName;
  readonly items: readonly T[];
  /** Where the name of an item leads. */
  readonly routeTo: (item: T) => Route;
  /** After the name. */
  readonly columns: readonly Column<T>[];
  readonly onEnd?: (() => void) | undefined;
  readonly sortAs?: string | undefined;
}

/** A table of what has a name and a page, by name. */
export function NamedGrid<T extends { readonly id: string; readonly name: string }>({
  label,
  icon,
  items,
  routeTo,
  columns,
  onEnd,
  sortAs,
}: NamedGridProps<T>) {
  const name: Column<T> = {
    name: "Name",
    of: (item) => (
      <span class="marked">
        <Icon name={icon} />
        <Link to={routeTo(item)}>{item.name}</Link>
      </span>
    ),
    sort: (a, b) => (a.name < b.name ? -1 : 1),
  };
  return (
    <Grid
      label={label}
      items={items}
      keyOf={({ id }) => id}
      onOpen={(item) => go(routeTo(item))}
      onEnd={onEnd}
      sortAs={sortAs}
      columns={[name, ...columns]}
    />
  );
}
