import { pause } from "./pause.ts";

/** One block of an event stream; without `data` it only moves the id. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly data: string | undefined;
  readonly retryMs: number | undefined;
}

/** The longest line that is taken: far more than a change of a hundred entities. */
const LINE_CHARS = 4_194_304;
/** A server says something every 15 s: one that is silent for so long is gone. */
const SILENCE_MS = 45_000;

/**
 * Reads server-sent events (WHATWG HTML, 9.2) as far as Firn sends them: a line ends with a line
 * feed, and data is one line. It ends with the stream, with `ended`, and after 45 s of silence.
 *
 * @throws Error a line is longer than any that Firn sends; what the stream throws.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  ended?: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  ended?.addEventListener("abort", cancel);
  let rest = "";
  let block: Record<string, string> = {};
  try {
    while (ended?.aborted !== true) {
      const { done, value } = await readInTime(reader);
      if (done) return;
      const lines = `${rest}${decoder.decode(value, { stream: true })}`.split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > LINE_CHARS) throw new Error("a line of the event stream is too long");
      for (const line of lines) {
        if (line !== "") takeLine(block, line);
        else {
          if (Object.keys(block).length > 0) yield eventOf(block);
          block = {};
        }
      }
    }
  } finally {
    ended?.removeEventListener("abort", cancel);
    cancel();
  }
}

type Chunk = { readonly done: boolean; readonly value?: Uint8Array | undefined };

async function readInTime(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Chunk> {
  const read = new AbortController();
  const silence = pause(SILENCE_MS, read.signal).then((): Chunk => ({ done: true }));
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    read.abort();
  }
}

function takeLine(block: Record<string, string>, line: string): void {
  const colon = line.indexOf(":");
  if (colon > 0) block[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "");
}

function eventOf({ id, data, retry }: Readonly<Record<string, string>>): ServerEvent {
  const retryMs = Number(retry);
  return { id, data, retryMs: Number.isSafeInteger(retryMs) ? retryMs : undefined };
}
