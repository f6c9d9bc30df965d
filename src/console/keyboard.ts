import { type Signal, signal } from "@preact/signals";
import { go, route } from "./navigation.ts";
import { mustSignIn } from "./session.ts";

export const isHelpOpen: Signal<boolean> = signal(false);
export const isJumpOpen: Signal<boolean> = signal(false);

/** What takes letters: a checkbox does not. */
const TYPED = "input:not([type=checkbox]), textarea, select, [contenteditable=true]";

/** Of an editor in a shadow root, only the path of the event tells. */
function isTyping(event: Event): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && target.closest(TYPED) !== null;
}

/** Moves the focus by one row of the lists on the page. */
function move(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Tables of other formats have fewer tabs, so what is drawn says what is next. */
function turnTab(by: number): void {
  const tabs = [...document.querySelectorAll<HTMLElement>(".tabs a")];
  const at = tabs.findIndex((tab) => tab.ariaCurrent === "page");
  if (at >= 0) tabs[at + by]?.click();
}

/** The full name of what is shown. */
function nameShown(): string | undefined {
  const shown = route.value;
  switch (shown.view) {
    case "catalog":
      return shown.catalog;
    case "namespace":
      return [shown.catalog, ...shown.namespace].join(".");
    case "table":
      return [shown.catalog, ...shown.namespace, shown.table].join(".");
    case "view":
      return [shown.catalog, ...shown.namespace, shown.name].join(".");
    default:
      return undefined;
  }
}

/** To what is compared; else to where it is chosen. */
function showCompared(): void {
  const found =
    document.querySelector<HTMLElement>(".compared h2") ??
    document.querySelector<HTMLElement>(".grid input[type=checkbox]");
  found?.focus();
  found?.scrollIntoView({ block: "nearest" });
}

let last = "";

/** Keys of the whole page. */
export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      isHelpOpen.value = false;
      isJumpOpen.value = false;
      return;
    }
    if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
    const actions: Readonly<Record<string, () => void>> = {
      "/": () => {
        isJumpOpen.value = !mustSignIn.value;
      },
      "?": () => {
        isHelpOpen.value = true;
      },
      j: () => move(1),
      k: () => move(-1),
      "[": () => turnTab(-1),
      "]": () => turnTab(1),
      d: () => showCompared(),
      y: () => void navigator.clipboard.writeText(nameShown() ?? location.href),
      h: () => {
        if (last === "g") go({ view: "home" });
      },
    };
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (action !== undefined) {
      if (event.key === "/") event.preventDefault();
      action();
    }
    last = event.key;
  });
}
