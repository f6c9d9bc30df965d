/**
 * Waits for all of some work that goes on side by side, and answers what each came to. Where some
 * of it fails, throws the failure that stands first: nothing is left running behind the answer, and
 * which error is told does not hang on which came first.
 */
export async function settleAll<const T extends readonly unknown[]>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  try {
    return await Promise.all(work);
  } catch (first) {
    // Only a failure is worth the second round of promises.
    for (const settled of await Promise.allSettled(work)) {
      if (settled.status === "rejected") throw settled.reason;
    }
    throw first;
  }
}
