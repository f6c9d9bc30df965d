/** Figures as people read them. Integers of 64 bits are text, and never rounded to a double. */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** `1536` is `1.5 KiB`. */
export function bytesText(bytes: string | number | undefined): string {
  if (bytes === undefined) return "—";
  let value = Number(bytes);
  let unit = 0;
  while (value >= 1_024 && unit < UNITS.length - 1) {
    value /= 1_024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Thousands apart: exact, however large. */
export function countText(count: string | number | undefined): string {
  if (count === undefined) return "—";
  return String(count).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** `3 min ago`; `in 2 d` of what is to come. */
export function agoText(time: string | undefined, nowMs: number): string {
  if (time === undefined) return "—";
  const ms = nowMs - Date.parse(time);
  const text = spanText(Math.abs(ms));
  if (text === "now") return text;
  return ms >= 0 ? `${text} ago` : `in ${text}`;
}

/** `2026-11-27 14:05:09 UTC`. */
export function timeText(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")} UTC`;
}

/** `5 min`: how long something takes. */
export function spanText(ms: number): string {
  if (ms < 1_000) return "now";
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1_000)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}

/** `7159…0381`: enough of an id to tell it from others. */
export function shortId(id: string): string {
  return id.length <= 11 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
}

/** `+3` and `−1`; nothing where nothing changed. */
export function deltaText(before: string | undefined, after: string | undefined): string {
  const delta = BigInt(after ?? "0") - BigInt(before ?? "0");
  if (delta === 0n) return "±0";
  return delta > 0n ? `+${countText(String(delta))}` : `−${countText(String(-delta))}`;
}

/** `+1.5 KiB` and `−12 B`; `±0` where nothing changed. */
export function deltaBytesText(before: string | undefined, after: string | undefined): string {
  const delta = BigInt(after ?? "0") - BigInt(before ?? "0");
  if (delta === 0n) return "±0";
  return delta > 0n ? `+${bytesText(String(delta))}` : `−${bytesText(String(-delta))}`;
}

/** `12 (13.3 %)`. */
export function shareText(part: string, whole: string): string {
  if (BigInt(whole) === 0n) return countText(part);
  const tenths = Number((BigInt(part) * 1_000n) / BigInt(whole));
  return `${countText(part)} (${tenths / 10} %)`;
}

/** `$0.0042`: two digits that say something, and cents at least. */
export function dollarsText(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars >= 0.1) return `$${dollars.toFixed(2)}`;
  return `$${dollars.toPrecision(2).replace(/e-(\d+)$/, "e−$1")}`;
}
