import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../base/clock.ts";
import { invalid } from "../../base/error.ts";
import type { GcAnswer } from "../../service/gc/now.ts";
import { asFirnError, describe } from "../failure.ts";
import { orQuiet } from "./quiet.ts";
import { fieldsOf } from "./requests.ts";

/** Collects garbage, or says what would go. */
export type CollectGarbage = (force: boolean, ended: AbortSignal) => Promise<GcAnswer>;

/** The route of `firn gc`. It may take long: empty lines say that it goes on. */
export function addGcRoute(app: FastifyInstance, collect: CollectGarbage, clock: Clock): void {
  app.post("/admin/v1/gc", async (request, reply) => {
    const { force = false } = fieldsOf(request.body);
    if (typeof force !== "boolean") {
      throw invalid("GC_INVALID", "invalid collection: `force` must be true or false");
    }
    const ended = new AbortController();
    reply.raw.once("close", () => ended.abort());
    const lines = gcLines(collect(force, ended.signal), clock);
    return reply.type("application/x-ndjson").send(Readable.from(lines));
  });
}

async function* gcLines(pending: Promise<GcAnswer>, clock: Clock): AsyncGenerator<string> {
  try {
    for (;;) {
      const answer = await orQuiet(pending, clock);
      if (answer === "quiet") {
        yield "\n";
        continue;
      }
      yield gcLine(answer);
      return;
    }
  } catch (error) {
    const { code, message, context } = asFirnError(error);
    yield `${JSON.stringify({ error: { code, message: describe(message, context) } })}\n`;
  }
}

/** An answer as a line of JSON. */
export function gcLine(answer: GcAnswer): string {
  return `${JSON.stringify(answer)}\n`;
}
