/** Lines of each icon, in a box of 16 by 16. */
const LINES = {
  home: "M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5M6.8 13V9.5h2.4V13",
  sql: "M2.5 3h11v10h-11zM5 6.5 7 8.2 5 10M8.2 10.3h3",
  changes: "M1.5 8.5h3l2-5 3 9 2-4h3",
  jobs: "M8 1.8v2.4M8 11.8v2.4M1.8 8h2.4M11.8 8h2.4M3.6 3.6l1.7 1.7M10.7 10.7l1.7 1.7M12.4 3.6l-1.7 1.7M5.3 10.7l-1.7 1.7",
  import: "M8 2v7.5M5 6.8 8 9.8l3-3M2.5 10v3.5h11V10",
  dropped: "M3 4.5h10M6 4.3V2.7h4v1.6M4.3 4.5l.6 8.8h6.2l.6-8.8",
  access: "M5.5 10.5a3 3 0 1 1 2.6-4.5h5.4v2.5h-1.6v1.6H9.6V9a3 3 0 0 1-4.1 1.5zM5.3 7.5h.2",
  engine: "M2.5 4.5 8 2l5.5 2.5L8 7zM2.5 8 8 10.5 13.5 8M2.5 11.5 8 14l5.5-2.5",
  settings: "M2 4.5h7M12.5 4.5H14M2 11.5h1.5M7 11.5h7M9 2.8v3.4h3V2.8zM4 9.8v3.4h3V9.8z",
  catalog: "M3 3.5h10v9H3zM3 6.5h10M6.3 9.2h3.4",
  namespace: "M2 4h4.2l1.4 1.6H14v7.2H2z",
  table: "M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.3 6.3V13",
  view: "M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z",
  principal: "M8 2.5a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2zM3 13.5c.5-2.6 2.4-4 5-4s4.5 1.4 5 4",
  warning: "M8 2.5 14.3 13H1.7zM8 6.4v3.2M8 11.4v.2",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.3V2.5h-8v8h2.8",
  sort: "M5 6.2 8 3.2l3 3M5 9.8l3 3 3-3",
  good: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM5.2 8.2l2 2 3.6-4.2",
  menu: "M2 4.5h12M2 8h12M2 11.5h12",
} as const;

export type IconName = keyof typeof LINES;

/** Drawn beside a text that says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={LINES[name]} />
    </svg>
  );
}
