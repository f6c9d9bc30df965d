/** Resolves after so many milliseconds, or when `ended`. By the platform's own clock. */
export function pause(ms: number, ended?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ended?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      ended?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    ended?.addEventListener("abort", done);
  });
}
