import fc from "fast-check";
import { expect, it } from "vitest";
import { bind, execute, message, openServer, parse, query, SYNC } from "./wire-client.ts";

const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each));
const known = fc.constantFrom(
  SYNC,
  query("select 1"),
  query("begin"),
  query("rollback"),
  parse("", "select 1"),
  bind("", ""),
  execute(),
  execute("", 1),
  message("H"),
);
const noise = fc.tuple(fc.constantFrom(..."BCDEHPQScdfp"), bytes);
const sent = fc.array(
  fc.oneof(
    known,
    noise.map(([type, body]) => message(type, body)),
  ),
  { maxLength: 20 },
);

it("any message is answered, or ends its connection, and the server goes on", async () => {
  const server = await openServer();
  try {
    await fc.assert(
      fc.asyncProperty(sent, async (messages) => {
        const client = server.client();
        await client.start();
        // Anything may follow; a ROLLBACK behind it all is answered unless the connection ended.
        client.send(...messages, message("c"), SYNC, query("rollback"), message("X"));
        let last = "";
        for (let answer = await client.next(); answer; answer = await client.next()) {
          last = answer.type;
        }
        expect(["Z", "E", "G"]).toContain(last);
      }),
      { numRuns: 150 },
    );
    const client = server.client();
    await client.start();
    client.send(query("select 1"));
    expect(await client.types()).toBe("TDCZ");
    expect(server.defects).toEqual([]);
  } finally {
    await server.close();
  }
});

it("raw noise in place of a startup packet ends in an error or the end", async () => {
  const server = await openServer();
  try {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 8, maxLength: 80 }), async (noise) => {
        const client = server.client();
        client.send(noise);
        client.end();
        const answer = await client.next();
        expect(["E", "N", undefined]).toContain(answer?.type);
      }),
      { numRuns: 100 },
    );
    expect(server.defects).toEqual([]);
  } finally {
    await server.close();
  }
});
