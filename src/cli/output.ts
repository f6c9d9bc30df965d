import { once } from "node:events";

/** Where a command prints. */
export interface Output {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Resolves when the reader has taken enough of what was printed: awaited by long output. */
  readonly drained: () => Promise<void>;
}

/** A standard stream of this process. */
type Stream = NodeJS.WritableStream & {
  readonly writableNeedDrain: boolean;
  readonly destroyed: boolean;
};

/**
 * Output of a process. Pipes are written in the background, so a process that ends without
 * `flush` loses what a slow reader has not taken yet.
 *
 * @param onClosed the reader of standard output has gone, or the output cannot be written.
 */
export function standardOutput(
  stdout: Stream,
  stderr: Stream,
  onClosed: (error: NodeJS.ErrnoException) => void,
): Output & { readonly flush: () => Promise<void> } {
  stdout.on("error", onClosed);
  // A log that is no longer read is not a reason to stop.
  stderr.on("error", () => undefined);
  return {
    print: (text) => void stdout.write(text),
    printError: (text) => void stderr.write(text),
    drained: async () => {
      if (stdout.writableNeedDrain && !stdout.destroyed) await once(stdout, "drain");
    },
    flush: async () => {
      await Promise.all([written(stdout), written(stderr)]);
    },
  };
}

/** Resolves when all that was written has left the process, or never can. */
function written(stream: Stream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
