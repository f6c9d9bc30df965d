const DIGITS = 20;
const SEGMENT = /^\d{20}\.wal$/;
const SPARE = /^spare-[\d-]+$/;

/** Padded, so that names sort as ids do. */
export function walName(id: number): string {
  return `${String(id).padStart(DIGITS, "0")}.wal`;
}

/** The id that a name holds; undefined where it is none of ours. */
export function walId(name: string): number | undefined {
  if (!SEGMENT.test(name)) return undefined;
  const id = Number(name.slice(0, DIGITS));
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** A file that waits to become a segment again. Its owner's alone, hence the epoch. */
export function spareName(epoch: number, count: number): string {
  return `spare-${epoch}-${count}`;
}

/** Whether a file is a segment prepared for later use. */
export function isSpare(name: string): boolean {
  return SPARE.test(name);
}
