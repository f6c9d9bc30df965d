import { countText, padEnd, type Screen } from "./screen.ts";

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar of a share between 0 and 1, in eighths of a column. */
export function barText(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8);
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}

const BAR_COLUMNS = 20;
const CLEAR_LINE = "\r\u001b[K";

/** One line on stderr of a terminal that says how far work has come. */
export class Progress {
  readonly #screen: Screen;
  readonly #startedMs: number;
  #isShown = false;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#startedMs = screen.nowMs();
  }

  show(what: string, done: number, total: number | undefined, unit: string): void {
    if (!this.#screen.showsProgress) return;
    const seconds = (this.#screen.nowMs() - this.#startedMs) / 1_000;
    const rate = seconds > 0.5 ? done / seconds : 0;
    const facts = [
      `${countText(done)}${total === undefined ? "" : `/${countText(total)}`} ${unit}`.trim(),
      ...(rate > 0 ? [`${rate.toFixed(rate < 10 ? 1 : 0)}/s`] : []),
      ...(rate > 0 && total !== undefined ? [`${Math.ceil((total - done) / rate)} s left`] : []),
    ];
    const bar =
      total === undefined ? "" : `${padEnd(barText(done / total, BAR_COLUMNS), BAR_COLUMNS)}  `;
    this.#screen.printError(`${CLEAR_LINE}${what}  ${bar}${facts.join("  ")}`);
    this.#isShown = true;
  }

  /** Takes the line away: what it led to is printed. */
  end(): void {
    if (this.#isShown) this.#screen.printError(CLEAR_LINE);
    this.#isShown = false;
  }
}
