/** Whether two lists hold the same objects. */
export function areSame(some: readonly object[], others: readonly object[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false;
  return true;
}
