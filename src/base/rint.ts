/** Half to even, as C's `rint`. */
export function rint(value: number): number {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 52) return value;
  const floor = Math.floor(value);
  const part = value - floor;
  const rounded = part < 0.5 ? floor : part > 0.5 ? floor + 1 : floor + (Math.abs(floor) % 2);
  return rounded === 0 && (value < 0 || Object.is(value, -0)) ? -0 : rounded;
}
