import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cutStatements, isBlank } from "../../src/cli/verbs/sql-text.ts";
import { Firn } from "../../src/index.ts";
import { firnLine } from "../support/firn-lsm.ts";

describe("cutting a text into statements", () => {
  it("leaves semicolons in strings, names, comments and dollar quotes alone", () => {
    const parts = [
      "select ';' as \"a;b\"",
      "select E'it\\';' || 'it'';'",
      "select $x$;$$;$x$, $$;$$ -- ;\n",
      "select /* ; /* ; */ ; */ a$1$ from t$1$",
    ];
    const { statements, rest } = cutStatements(`${parts.join(";")};;  ; select 'open;`);
    expect(statements).toEqual(parts.map((each) => each.trim()));
    expect(rest).toBe(" select 'open;");
    expect([isBlank(" -- x\n/* y; */ "), isBlank("-- x\n1")]).toEqual([true, false]);
  });
});

describe("firn sql", () => {
  let directory: string;
  let firn: Firn;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "firn-sql-verb-"));
    firn = await Firn.open({ profile: "memory", logLevel: "silent", listen: { port: 0 } });
  });
  afterAll(async () => {
    await firn.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const sql = (...args: readonly string[]) =>
    firnLine(["sql", ...args], { HOME: directory, FIRN_URL: firn.url ?? "" });

  it("runs a statement, a file, and several statements as one transaction", async () => {
    const made = await sql("create table t (id int primary key, s text)");
    expect([made.exitCode, made.out]).toEqual([0, "CREATE TABLE\n"]);
    const file = join(directory, "fill.sql");
    writeFileSync(
      file,
      "insert into t values (1, 'a;b');\n-- done\ninsert into t values (2, null)",
    );
    expect((await sql("-f", file)).out).toBe("INSERT 0 1\nINSERT 0 1\n");
    expect((await sql("select * from t order by id")).out).toBe("1\ta;b\n2\t\n");
    const json = await sql("--json", "-c", "select * from t order by id");
    expect(JSON.parse(json.out)).toEqual([
      { id: 1, s: "a;b" },
      { id: 2, s: null },
    ]);
    expect(JSON.parse((await sql("--json", "select * from t where id = 9")).out)).toEqual([]);
    const lines = await sql("--ndjson", "select id from t order by id");
    expect(lines.out).toBe('{"id":1}\n{"id":2}\n');
    const both = await sql("-1", "delete from t; select 1/0");
    expect([both.exitCode, both.out]).toEqual([2, ""]);
    expect((await sql("select count(*) from t")).out).toBe("2\n");
  });

  it("shows where an error is, and ends with the first", async () => {
    const { exitCode, out, errors } = await sql("select 1;\nselect nothing\nfrom t; select 2");
    expect([exitCode, out]).toEqual([2, "1\n"]);
    expect(errors).toBe(
      'firn: column "nothing" does not exist (sqlState=42703, position=8) [SQL_42703]\n' +
        "LINE 1: select nothing\n               ^\n",
    );
  });
});
