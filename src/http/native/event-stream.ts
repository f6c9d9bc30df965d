import type { ChangeStream, StreamedChanges } from "../../service/change-streams.ts";
import { renderChange } from "./render.ts";

/** How long a client waits before it connects again. */
const RETRY_MS = 1_000;

/**
 * A change stream as server-sent events (WHATWG HTML, 9.2). The last event of a page alone has an
 * id, the cursor behind the page: who resumes there misses nothing, whatever it has read of the
 * next page. A beat is a comment with an id, which moves the cursor of the client without an event.
 */
export async function* eventStream({ token, pages }: ChangeStream): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\nid: ${token}\n\n`;
  for await (const page of pages) yield* eventsOf(page);
}

function* eventsOf({ changes, token }: StreamedChanges): Generator<string> {
  if (changes.length === 0) yield `: beat\nid: ${token}\n\n`;
  const ordered = [...changes].sort((one, other) => one.timeMs - other.timeMs);
  for (const [i, change] of ordered.entries()) {
    const id = i === changes.length - 1 ? `id: ${token}\n` : "";
    yield `event: change\n${id}data: ${JSON.stringify(renderChange(change))}\n\n`;
  }
}
