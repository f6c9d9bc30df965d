import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  bind,
  describePortal,
  describeStatement,
  execute,
  fieldsOf,
  int32,
  message,
  openServer,
  parse,
  query,
  SYNC,
  startup,
  type TestServer,
  text,
  valuesOf,
} from "./wire-client.ts";

let server: TestServer;

beforeEach(async () => {
  server = await openServer();
});
afterEach(async () => {
  await server.close();
  expect(server.defects).toEqual([]);
});

describe("startup", () => {
  it("answers with its settings, a cancel key, and that it is ready", async () => {
    const client = server.client();
    const answers = await client.start({ application_name: "x", options: "-c DateStyle=SQL" });
    expect(answers[0]).toEqual({ type: "R", body: int32(0) });
    const settings = answers
      .filter(({ type }) => type === "S")
      .map(({ body }) => body.toString().split("\0").slice(0, 2).join("="));
    expect(settings).toEqual(
      expect.arrayContaining([
        "application_name=x",
        "client_encoding=UTF8",
        "DateStyle=SQL, MDY",
        "integer_datetimes=on",
        "server_version=15.18",
        "session_authorization=tester",
        "standard_conforming_strings=on",
        "TimeZone=UTC",
      ]),
    );
    expect(answers.at(-2)?.type).toBe("K");
    expect(answers.at(-1)).toEqual({ type: "Z", body: Buffer.from("I") });
  });

  it("refuses encryption with one byte, and goes on", async () => {
    const client = server.client();
    client.send(int32(8), int32(80_877_103));
    expect(await client.byte()).toBe("N");
    client.send(int32(8), int32(80_877_104));
    expect(await client.byte()).toBe("N");
    expect((await client.start()).at(-1)?.type).toBe("Z");
  });

  it("tells a newer client which protocol it speaks, and what it does not know", async () => {
    const client = server.client();
    client.send(startup({ user: "u", database: "default", "_pq_.x": "1" }, 196_610));
    const [first] = await client.untilReady();
    expect(first).toEqual({ type: "v", body: Buffer.concat([int32(0), int32(1), text("_pq_.x")]) });
  });

  it.each([
    ["another protocol", startup({ user: "u" }, 2 << 16), "0A000"],
    ["no user", startup({ database: "default" }), "28000"],
    ["a bad setting", startup({ user: "u", DateStyle: "nope" }), "22023"],
    ["an unknown setting", startup({ user: "u", nope: "1" }), "42704"],
    ["replication", startup({ user: "u", replication: "database" }), "0A000"],
    ["HTTP", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "08P01"],
    ["a length below 8", Buffer.from("\0\0\0\x04"), "08P01"],
  ])("refuses %s, and closes", async (_what, bytes, sqlState) => {
    const client = server.client();
    client.send(bytes);
    const answers = await client.untilReady();
    expect(answers.map(({ type }) => type)).toEqual(["E"]);
    expect(fieldsOf(answers[0]!)).toMatchObject({ S: "FATAL", V: "FATAL", C: sqlState });
    expect(await client.next()).toBeUndefined();
  });
});

describe("simple queries", () => {
  it("answer with columns, rows, and a tag", async () => {
    const client = server.client();
    await client.start();
    client.send(query("select 1, 'é'"));
    const answers = await client.untilReady();
    expect(answers.map(({ type }) => type).join("")).toBe("TDCZ");
    expect(valuesOf(answers[1]!)).toEqual(["1", "é"]);
    expect(answers[2]?.body).toEqual(text("SELECT 1"));
  });

  it("may hold several statements, or none", async () => {
    const client = server.client();
    await client.start();
    client.send(query("select 1; select 2;; show timezone"), query(" ; "), query(""));
    expect(await client.types()).toBe("TDCTDCTDCZ");
    expect(await client.types()).toBe("IZ");
    expect(await client.types()).toBe("IZ");
  });

  it("stop at the first error, which names its place in characters", async () => {
    const client = server.client();
    await client.start();
    client.send(query("select 'é'; selekt 1"));
    const [error, ready] = await client.untilReady();
    expect(fieldsOf(error!)).toMatchObject({ S: "ERROR", C: "42601", P: "13" });
    expect(ready?.type).toBe("Z");
  });

  it("follow the states of a transaction", async () => {
    const client = server.client();
    await client.start();
    const states: string[] = [];
    for (const sql of ["begin", "select 1", "selekt", "select 1", "rollback", "commit"]) {
      client.send(query(sql));
      const answers = await client.untilReady();
      const error = answers.find(({ type }) => type === "E");
      const state = answers.at(-1)?.body.toString() ?? "";
      states.push(error === undefined ? state : `${state} ${fieldsOf(error)["C"]}`);
    }
    expect(states).toEqual(["T", "T", "E 42601", "E 25P02", "I", "I"]);
  });

  it("tell of settings that change, also when a transaction takes them back", async () => {
    const client = server.client();
    await client.start();
    client.send(query("set timezone to 'Europe/Paris'"));
    expect(await client.types()).toBe("SCZ");
    client.send(query("begin; set application_name = 'a'; rollback"));
    expect(await client.types()).toBe("CSCSCZ");
    client.send(query("show application_name"));
    expect(valuesOf((await client.untilReady())[1]!)).toEqual([""]);
  });

  it("take a statement of 10 MB and 20,000 nested parentheses", async () => {
    const client = server.client();
    await client.start();
    client.send(query(`select ${"(".repeat(20_000)}1${")".repeat(20_000)}`));
    expect(fieldsOf((await client.untilReady())[0]!)["C"]).toBe("54001");
    client.send(query(`select '${"x".repeat(10_000_000)}'`));
    expect((await client.untilReady())[1]?.body.length).toBe(10_000_006);
    client.send(query(`select 1 ${"+1".repeat(200_000)}`));
    expect(fieldsOf((await client.untilReady())[0]!)["C"]).toBe("54001");
    client.send(query("select 1"));
    expect(await client.types()).toBe("TDCZ");
  });
});

describe("extended queries", () => {
  it("answer each message, in order", async () => {
    const client = server.client();
    await client.start();
    client.send(parse("s", "select 1"), describeStatement("s"), bind("", "s"));
    client.send(describePortal(), execute(), message("C", Buffer.from("S"), text("s")), SYNC);
    expect(await client.types()).toBe("1tT2TDC3Z");
  });

  it("drop what follows an error, up to Sync", async () => {
    const client = server.client();
    await client.start();
    client.send(parse("", "selekt"), bind("", ""), execute(), SYNC);
    client.send(parse("", "select 1"), bind("", ""), execute(), SYNC);
    expect(await client.types()).toBe("EZ");
    expect(await client.types()).toBe("12DCZ");
  });

  it("send results in the format that was asked for", async () => {
    const client = server.client();
    await client.start();
    client.send(parse("", "select 258"), bind("", "", [], [], [1]), execute(), SYNC);
    const row = (await client.untilReady()).find(({ type }) => type === "D");
    expect(row?.body.subarray(6)).toEqual(Buffer.from([0, 0, 1, 2]));
  });

  it("suspend a portal at its limit, and end it with its transaction", async () => {
    const client = server.client();
    await client.start();
    client.send(parse("", "show all"), bind("p", ""), execute("p", 2), execute("p", 3), SYNC);
    expect(await client.types()).toBe("12DDsDDDsZ");
    client.send(execute("p", 1), SYNC);
    const answers = await client.untilReady();
    expect(fieldsOf(answers[0]!)["C"]).toBe("34000");
    client.send(query("begin"), parse("", "show all"), bind("p", ""), execute("p", 1), SYNC);
    expect(await client.types()).toBe("CZ");
    expect(await client.types()).toBe("12DsZ");
    client.send(execute("p", 1), SYNC);
    expect(await client.types()).toBe("DsZ");
  });

  it.each([
    ["an unknown statement", bind("", "nope"), "26000"],
    ["an unknown portal", execute("nope"), "34000"],
    ["a parameter too many", [parse("", "select 1"), bind("", "", ["1"])], "08P01"],
    ["two statements in one", parse("", "select 1; select 2"), "42601"],
    ["an unknown format", [parse("", "select 1"), bind("", "", [], [], [7])], "22023"],
    ["a body that is too short", message("B", Buffer.from("x")), "08P01"],
    ["a body that is too long", message("E", text(""), int32(0), int32(0)), "08P01"],
    ["a name twice", [parse("a", "select 1"), parse("a", "select 1")], "42P05"],
    ["text that is not UTF-8", message("P", Buffer.from([0, 0xff, 0, 0, 0])), "22021"],
  ])("refuse %s, and go on", async (_what, bytes, sqlState) => {
    const client = server.client();
    await client.start();
    client.send(...[bytes].flat(), SYNC);
    const answers = await client.untilReady();
    const error = answers.find(({ type }) => type === "E");
    expect(fieldsOf(error!)).toMatchObject({ S: "ERROR", C: sqlState });
    client.send(query("select 1"));
    expect(await client.types()).toBe("TDCZ");
  });

  it("are answered at Flush without a Sync", async () => {
    const client = server.client();
    await client.start();
    client.send(parse("", "select 1"), message("H"));
    expect((await client.next())?.type).toBe("1");
    client.send(bind("", ""), execute(), SYNC);
    expect(await client.types()).toBe("2DCZ");
  });
});

describe("the end", () => {
  it("of a client that says so, or that just goes", async () => {
    const polite = server.client();
    await polite.start();
    polite.send(message("X"));
    expect(await polite.next()).toBeUndefined();
    const rude = server.client();
    await rude.start();
    rude.send(parse("", "select 1"));
    rude.destroy();
    const gone = () => server.metrics.samples("firn_pgwire_connections")[0]?.value;
    while (gone() !== 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it("of a message that is none", async () => {
    const client = server.client();
    await client.start();
    client.send(message("?"));
    const answers = await client.untilReady();
    expect(fieldsOf(answers[0]!)).toMatchObject({ S: "FATAL", C: "08P01" });
    expect(await client.next()).toBeUndefined();
  });

  it("of the server is told to idle clients", async () => {
    const client = server.client();
    await client.start();
    const closing = server.close;
    client.end();
    await closing();
    expect(await client.next()).toBeUndefined();
  });
});

it("connections beyond the limit are told so", async () => {
  const small = await openServer(1);
  try {
    await small.client().start();
    const second = small.client();
    const answer = await second.next();
    expect(fieldsOf(answer!)).toMatchObject({ S: "FATAL", C: "53300" });
  } finally {
    await small.close();
  }
});
