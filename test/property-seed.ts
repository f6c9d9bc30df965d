/*
 * Properties draw by the time, so that runs differ and add up. `PROPERTY_SEED=42` repeats a run;
 * `.ci/run` draws it by the commit, so that a commit which passed passes again.
 */

const seed = process.env["PROPERTY_SEED"];
if (seed !== undefined) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
}
