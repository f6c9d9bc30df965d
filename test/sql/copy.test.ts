import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import {
  fieldsOf,
  message,
  openServer,
  query,
  type TestServer,
  text,
  valuesOf,
  type WireClient,
} from "../pgwire/wire-client.ts";

let server: TestServer;
let client: WireClient;

beforeEach(async () => {
  server = await openServer();
  client = server.client();
  await client.start();
});
afterEach(async () => {
  await server.close();
  expect(server.defects).toEqual([]);
});

async function run(sql: string): Promise<string> {
  client.send(query(sql));
  return await outcome();
}

/** The tag of the last statement, or the SQLSTATE of the error. */
async function outcome(): Promise<string> {
  let told = "";
  for (const answer of await client.untilReady()) {
    if (answer.type === "C") told = answer.body.toString().replace("\0", "");
    if (answer.type === "E") told = fieldsOf(answer)["C"] ?? "";
  }
  return told;
}

async function rows(sql: string): Promise<readonly string[]> {
  client.send(query(sql));
  const answers = await client.untilReady();
  return answers
    .filter(({ type }) => type === "D")
    .map((answer) =>
      valuesOf(answer)
        .map((value) => value ?? "NULL")
        .join("|"),
    );
}

async function copyIn(sql: string, ...chunks: readonly (string | Buffer)[]): Promise<string> {
  client.send(query(sql));
  expect((await client.next())?.type).toBe("G");
  for (const chunk of chunks) client.send(message("d", Buffer.from(chunk as string)));
  client.send(message("c"));
  return await outcome();
}

async function copyOut(sql: string): Promise<Buffer> {
  client.send(query(sql));
  const answers = await client.untilReady();
  expect(answers.at(-2)?.type).toBe("C");
  return Buffer.concat(answers.filter(({ type }) => type === "d").map(({ body }) => body));
}

describe("COPY in", () => {
  beforeEach(async () => {
    await run("create table t (id int primary key, name text, n numeric default 7)");
  });

  it("takes text, with escapes and NULL", async () => {
    const data = "1\tone\t1.50\n2\t\\N\t\\N\n3\ta\\tb\\\\\\n\\x41\\101\t-1\n\\.\nnot read";
    expect(await copyIn("copy t from stdin", data)).toBe("COPY 3");
    expect(await rows("select * from t")).toEqual(["1|one|1.50", "2|NULL|NULL", "3|a\tb\\\nAA|-1"]);
    expect(await copyIn("copy t (name, id) from stdin", "x\t9")).toBe("COPY 1");
    expect(await rows("select * from t where id = 9")).toEqual(["9|x|7"]);
  });

  it("takes CSV, with quotes, newlines in them, and a header", async () => {
    const data = 'id,name,n\r\n1,"a,b ""c""\nd",\r\n2,"",3\n3,,"4"\n';
    expect(await copyIn("copy t from stdin csv header", data)).toBe("COPY 3");
    expect(await rows("select * from t")).toEqual(['1|a,b "c"\nd|NULL', "2||3", "3|NULL|4"]);
    const forced = "copy t from stdin (format csv, force_null (name), header match)";
    expect(await copyIn(forced, 'id,name,n\n4,"",1\n')).toBe("COPY 1");
    expect(await copyIn(forced, "id,nome,n\n5,,1\n")).toBe("22P04");
    expect(await rows("select name from t where id = 4")).toEqual(["NULL"]);
  });

  it("refuses what is malformed, says where, and leaves nothing", async () => {
    const bad: readonly [string, string, string][] = [
      ["copy t from stdin", "1\ta\t1\n2\tb\n", "22P04"],
      ["copy t from stdin", "1\ta\t1\t2\n", "22P04"],
      ["copy t from stdin", "1\ta\t1\nx\tb\t1\n", "22P02"],
      ["copy t from stdin", "1\ta\t1\n1\tb\t1\n", "23505"],
      ["copy t from stdin csv", '1,"a,1\n', "22P04"],
      ["copy t from stdin binary", "1\ta\t1\n1\tb\t1\n and more", "22P04"],
    ];
    for (const [sql, data, state] of bad)
      expect([sql, await copyIn(sql, data)]).toEqual([sql, state]);
    expect(await rows("select * from t")).toEqual([]);
    client.send(query("copy t from stdin"), message("d", Buffer.from("1\ta\t1\nx\tb\t1\n")));
    const error = (await client.untilReady()).find(({ type }) => type === "E");
    expect(error && fieldsOf(error)["W"]).toBe('COPY t, line 2, column id: "x"');
  });

  it("ends with the client that sends CopyFail or goes away", async () => {
    client.send(query("copy t from stdin"), message("d", Buffer.from("1\ta\t1\n")));
    client.send(message("f", text("no more")));
    expect(await outcome()).toBe("57014");
    const other = server.client();
    await other.start();
    other.send(query("copy t from stdin"), message("d", Buffer.from("1\ta\t1\n".repeat(1))));
    expect((await other.next())?.type).toBe("G");
    other.destroy();
    expect(await rows("select * from t")).toEqual([]);
    expect(await copyIn("copy t from stdin", "1\tb\t1\n")).toBe("COPY 1");
  });

  it("finds the same rows however its bytes are cut", async () => {
    const prng = new SeededPrng(20);
    const pieces = ["a", "ü", "\\\\", "\\n", "\\t", "€", "\\\n", "😀", "x".repeat(90), "\\x41"];
    const quoted = ["a", "ü", '""', "\n", ",", "\r\n", "😀", "x".repeat(90), "\\."];
    const below = (most: number): number => Math.floor(prng.float() * most);
    const made = (of: readonly string[]): string =>
      Array.from({ length: below(7) }, () => of[below(of.length)]).join("");
    for (let round = 0; round < 12; round++) {
      const isCsv = round % 2 === 1;
      const lines = Array.from({ length: 40 }, (_, id) =>
        isCsv ? `${id},"${made(quoted)}",1\n` : `${id}\t${made(pieces)}\t1\n`,
      );
      const bytes = Buffer.from(lines.join(""));
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const length = 1 + below(60);
        chunks.push(bytes.subarray(at, at + length));
        at += length;
      }
      const format = isCsv ? "csv" : "";
      expect(await copyIn(`copy t from stdin ${format}`, bytes)).toBe("COPY 40");
      const whole = await rows("select * from t");
      await run("truncate t");
      expect(await copyIn(`copy t from stdin ${format}`, ...chunks)).toBe("COPY 40");
      expect(await rows("select * from t")).toEqual(whole);
      await run("truncate t");
    }
  });
});

describe("COPY out", () => {
  beforeEach(async () => {
    await run("create table t (id int primary key, name text, data bytea)");
    await run(
      "insert into t values (1, 'a,b', '\\x00ff'), (2, null, null), (3, e'x\\t\"y\"\\\\\\n', '')",
    );
  });

  it("writes text and CSV as PostgreSQL does", async () => {
    expect((await copyOut("copy t to stdout")).toString()).toBe(
      '1\ta,b\t\\\\x00ff\n2\t\\N\t\\N\n3\tx\\t"y"\\\\\\n\t\\\\x\n',
    );
    expect((await copyOut("copy t (name, id) to stdout csv header")).toString()).toBe(
      'name,id\n"a,b",1\n,2\n"x\t""y""\\\n",3\n',
    );
    const query = "copy (select name, 1.50 from t where id < 3 order by id desc) to stdout";
    const options = "with (format csv, delimiter ';', null 'none', force_quote (name))";
    expect((await copyOut(`${query} ${options}`)).toString()).toBe('none;1.50\n"a,b";1.50\n');
  });

  it("brings back in each format what it wrote", async () => {
    const before = await rows("select * from t");
    for (const format of ["text", "csv", "binary"]) {
      const bytes = await copyOut(`copy t to stdout (format ${format})`);
      await run("truncate t");
      const half = bytes.length >> 1;
      const cut = [bytes.subarray(0, half), bytes.subarray(half)];
      expect(await copyIn(`copy t from stdin (format ${format})`, ...cut)).toBe("COPY 3");
      expect(await rows("select * from t")).toEqual(before);
    }
  });

  it("refuses files, programs, and options that do not go together", async () => {
    const bad: readonly [string, string][] = [
      ["copy t from '/etc/passwd'", "0A000"],
      ["copy t to program 'cat'", "0A000"],
      ["copy t from stdin (format xml)", "22023"],
      ["copy t from stdin (delimiter 'ab')", "0A000"],
      ["copy t from stdin (quote '!')", "0A000"],
      ["copy t from stdin (format csv, delimiter '\"')", "22023"],
      ["copy t (nowhere) from stdin", "42703"],
      ["copy nowhere from stdin", "42P01"],
      ["copy (insert into t values (9)) to stdout", "0A000"],
      ["copy t from stdin (encoding 'latin1')", "0A000"],
    ];
    for (const [sql, state] of bad) expect([sql, await run(sql)]).toEqual([sql, state]);
  });
});

describe("COPY of many rows", () => {
  /** So many that the entries of two indexes and the table are worth a load. */
  const MANY = 34_000;
  const lines = (from: number): string =>
    Array.from({ length: MANY }, (_, i) => `${from + i}\t${(from + i) % 10}\n`).join("");

  beforeEach(async () => {
    await run("create table m (n serial, id int primary key, k int, g int default 7)");
    await run("create index on m (k)");
    await run("create unique index on m (n)");
  });

  async function begin(from: number, sql = "copy m (id, k) from stdin"): Promise<void> {
    client.send(query(sql));
    expect((await client.next())?.type).toBe("G");
    client.send(message("d", Buffer.from(lines(from))));
  }

  async function end(): Promise<string> {
    client.send(message("c"));
    return await outcome();
  }

  it("adds them to what is there, with defaults and numbers without a gap", async () => {
    await run("insert into m (id, k) values (0, 3)");
    await begin(1);
    expect(await end()).toBe(`COPY ${MANY}`);
    expect(await rows("select count(*), max(n), min(g), max(g) from m")).toEqual([
      `${MANY + 1}|${MANY + 1}|7|7`,
    ]);
    expect(await rows("select count(*) from m where k = 3")).toEqual([`${MANY / 10 + 1}`]);
    expect(await rows("select id from m where n = 20000")).toEqual(["19999"]);
  });

  it("is refused whole for one row that is there already", async () => {
    await run(`insert into m (id, k) values (${MANY}, 3)`);
    await begin(1);
    expect(await end()).toBe("23505");
    expect(await rows("select count(*) from m")).toEqual(["1"]);
  });

  it("fails where others write the table meanwhile, unless it stands in a block", async () => {
    const other = server.client();
    await other.start();
    const write = async (id: number): Promise<void> => {
      other.send(query(`insert into m (id, k) values (${id}, 1)`));
      await other.untilReady();
    };
    await begin(1);
    let isOver = false;
    const ended = end().finally(() => {
      isOver = true;
    });
    let writes = 0;
    while (!isOver) await write(-++writes);
    expect(await ended).toBe("40001");
    await run("begin");
    await begin(1);
    await write(-++writes);
    expect(await end()).toBe(`COPY ${MANY}`);
    await run("commit");
    expect(await rows("select count(*) from m")).toEqual([`${MANY + writes}`]);
  });

  it("is undone with its block", async () => {
    await run("begin");
    await begin(1);
    expect(await end()).toBe(`COPY ${MANY}`);
    await run("rollback");
    expect(await rows("select count(*) from m")).toEqual(["0"]);
  });

  it("leaves nothing where the client takes it back", async () => {
    await begin(1);
    client.send(message("f", text("no more")));
    expect(await outcome()).toBe("57014");
    expect(await rows("select count(*) from m")).toEqual(["0"]);
    expect(await run("insert into m (id, k) values (1, 1)")).toBe("INSERT 0 1");
  });
});
