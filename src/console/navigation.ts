import { type Signal, signal } from "@preact/signals";
import { pathOf, type Route, routeOf, titleOf } from "./route.ts";
import { STRINGS } from "./strings.ts";

export const route: Signal<Route> = signal(routeOf(globalThis.location.pathname));
/** How a view is looked at: what is chosen, filtered and sorted in it. */
export const look: Signal<URLSearchParams> = signal(new URLSearchParams(location.search));

function show(next: Route): void {
  look.value = new URLSearchParams(location.search);
  route.value = next;
  document.title = next.view === "home" ? STRINGS.product : `${titleOf(next)} · ${STRINGS.product}`;
}

globalThis.addEventListener("popstate", () => show(routeOf(globalThis.location.pathname)));
show(route.value);

/** The address of a view, and of how it is looked at. */
export function addressOf(next: Route, looked: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(looked).toString();
  return `${pathOf(next)}${search === "" ? "" : `?${search}`}`;
}

export function go(next: Route, looked?: Readonly<Record<string, string>>): void {
  const address = addressOf(next, looked);
  const { pathname, search } = globalThis.location;
  if (address !== `${pathname}${search}`) history.pushState(null, "", address);
  show(next);
  scrollTo(0, 0);
  document.querySelector<HTMLElement>("main h1")?.focus();
}

/** Writes into the address how the view is looked at; an empty text is left out. */
export function lookAt(changes: Readonly<Record<string, string>>): void {
  const next = new URLSearchParams(look.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") next.delete(name);
    else next.set(name, value);
  }
  const search = next.toString();
  history.replaceState(null, "", `${location.pathname}${search === "" ? "" : `?${search}`}`);
  look.value = next;
}

/** One part of how the view is looked at, as text; empty where the address does not say. */
export function useLook(name: string): readonly [string, (value: string) => void] {
  return [look.value.get(name) ?? "", (value) => lookAt({ [name]: value })];
}

/** A click that stays on this page; others, such as into a new tab, are the browser's. */
export function follows(event: MouseEvent): boolean {
  return event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}
