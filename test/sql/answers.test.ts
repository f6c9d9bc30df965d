import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";
import { PostgresWire } from "../support/postgres-wire.ts";
import { ANSWERS, answersIn, ask } from "./answers.ts";

/** Share that is refused with 0A000. Of patterns many are here for being ambiguous. */
const mostRefused = (file: string): number => (file.endsWith("patterns.jsonl") ? 0.25 : 0.02);

describe("expressions that PostgreSQL 15 was asked", () => {
  let server: TestServer;
  let wire: PostgresWire;
  beforeAll(async () => {
    server = await openServer();
    wire = await PostgresWire.connect(server.port, "tester", "default");
  });
  afterAll(async () => {
    wire.close();
    await server.close();
  });

  it.each(ANSWERS.map((file) => [basename(file, ".jsonl"), file]))(
    "of %s come to the same",
    async (_name, file) => {
      const lines = answersIn(readFileSync(file, "utf8"));
      expect(lines.length).toBeGreaterThan(20);
      const answers = await ask(
        wire,
        lines.map(([expression]) => expression),
      );
      const isRefused = (answer: unknown): boolean =>
        typeof answer === "object" &&
        answer !== null &&
        "error" in answer &&
        answer.error === "0A000";
      const shown = lines.map(([expression, expected], i) => ({
        expression,
        expected,
        actual: answers[i],
      }));
      const same = (one: (typeof shown)[number]): boolean =>
        isRefused(one.actual) || JSON.stringify(one.actual) === JSON.stringify(one.expected);
      expect(shown.filter((one) => !same(one))).toEqual([]);
      const refused = shown.filter((one) => isRefused(one.actual) && !isRefused(one.expected));
      expect(refused.length / lines.length).toBeLessThan(mostRefused(file));
    },
  );
});
