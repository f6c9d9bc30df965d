import { type Signal, signal } from "@preact/signals";
import { pathOf, type Route, routeOf, titleOf } from "./route.ts";
import { STRINGS } from "./strings.ts";

export const route: Signal<Route> = signal(routeOf(globalThis.location.pathname));

function show(next: Route): void {
  route.value = next;
  document.title = next.view === "home" ? STRINGS.product : `${titleOf(next)} · ${STRINGS.product}`;
}

globalThis.addEventListener("popstate", () => show(routeOf(globalThis.location.pathname)));
show(route.value);

export function go(next: Route): void {
  const path = pathOf(next);
  if (path !== globalThis.location.pathname) history.pushState(null, "", path);
  show(next);
  scrollTo(0, 0);
  document.querySelector<HTMLElement>("main h1")?.focus();
}

/** A click that stays on this page; others, such as into a new tab, are the browser's. */
export function follows(event: MouseEvent): boolean {
  return event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}
