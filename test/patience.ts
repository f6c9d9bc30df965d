/**
 * What every suite waits for at most where it waits for a condition. A busy machine without caches
 * takes many times what a quiet one does, and nobody who passes waits longer for it: so none of
 * these is a measure of speed.
 */
export const PATIENCE = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
} as const;
