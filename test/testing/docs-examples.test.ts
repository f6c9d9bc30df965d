import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatWithOptions } from "node:util";
import { expect, it } from "vitest";
import { columns, Firn, FirnClient, type NamespaceScope, Schema } from "../../src/index.ts";
import { ask } from "../server/support.ts";

const ROOT = new URL("../../", import.meta.url);

/** Doors of the package, and the sources behind them. */
const DOORS: Readonly<Record<string, string>> = {
  "firn-catalog": "src/index.ts",
  "firn-catalog/testing": "src/testing/test-firn.ts",
};

/** Ends an example that never ends by itself. */
const ENOUGH = new Error("enough");
const enough = (): never => {
  throw ENOUGH;
};

interface Example {
  readonly file: string;
  readonly index: number;
  readonly code: string;
}

/** What an example finds there, and what is closed after it. */
type Scope = Readonly<Record<string, unknown>>;
type Prepare = (closing: (() => unknown)[]) => Promise<Scope>;

async function served(closing: (() => unknown)[]): Promise<Firn> {
  const firn = await Firn.open({ listen: { port: 0 } });
  closing.push(() => firn.close());
  await ask(firn, "POST", "/namespaces", { namespace: ["sales"] });
  const schema = { type: "struct", fields: [] };
  for (const name of ["orders", "returns"]) {
    await ask(firn, "POST", "/namespaces/sales/tables", { name, schema });
  }
  return firn;
}

/** A namespace of an embedded Firn, for examples of patterns. */
async function embedded(closing: (() => unknown)[]) {
  const firn = await Firn.open();
  closing.push(() => firn.close());
  return await firn.catalog("acme").createNamespace("ops");
}

const patterned =
  (more: Scope): Prepare =>
  async (closing) => ({ patterns: (await embedded(closing)).patterns, ...more });

/** A client of the namespace's server, for examples of patterns over HTTP. */
const calling =
  (more: Scope, prepare = async (_namespace: NamespaceScope): Promise<void> => {}): Prepare =>
  async (closing) => {
    const firn = await Firn.open();
    closing.push(() => firn.close());
    await prepare(await firn.catalog("acme").createNamespace("ops"));
    const client = new FirnClient({ url: "http://firn", fetch: (request) => firn.fetch(request) });
    return { client, ops: { catalog: "acme", namespace: "ops" }, ...more };
  };

const REQUEST = { id: "r1", hash: "h1", amount: 5 };

/** What examples take for granted, by file and place. */
const TIMED = Schema.table({
  columns: { at: columns.timestamp(), what: columns.text() },
  primaryKey: ["at", "what"],
});
const SCOPES: Readonly<Record<string, Prepare>> = {
  "docs/history.md 0": async (closing) => {
    const firn = await served(closing);
    // A day has passed since the table was made.
    return { firn, Date: { now: () => Date.now() + 86_400_000 } };
  },
  "docs/history.md 1": async (closing) => {
    const firn = await served(closing);
    return { firn, apply: () => {}, pause: enough };
  },
  "docs/lifecycle.md 0": async (closing) => {
    const firn = await served(closing);
    await ask(firn, "POST", "/namespaces", { namespace: ["other"] });
    await ask(firn, "POST", "/namespaces", { namespace: ["other", "namespace"] });
    await ask(firn, "DELETE", "/namespaces/sales/tables/orders");
    await ask(firn, "DELETE", "/namespaces/sales/tables/returns");
    return { firn };
  },
  "docs/backup.md 0": async (closing) => {
    const root = mkdtempSync(join(tmpdir(), "firn-docs-"));
    closing.push(() => rmSync(root, { recursive: true, force: true }));
    const at = (name: string) => join(root, name);
    return { Firn, dir: at("dir"), backups: at("backups"), other: at("other") };
  },
  "docs/native-api.md 0": async (closing) => {
    const { url = "" } = await served(closing);
    class Client extends FirnClient {
      constructor() {
        super({ url });
      }
    }
    return { FirnClient: Client };
  },
  "docs/native-api.md 1": async (closing) => {
    const { url = "" } = await served(closing);
    const client = new FirnClient({ url });
    const query = { since: new Date(Date.now() - 60_000).toISOString() };
    const { cursor } = await client.call("listChanges", { query: { ...query, pageSize: 1 } });
    return { client, saved: cursor, console: { log: enough } };
  },
  "docs/modelling.md 0": async (closing) => {
    const namespace = await embedded(closing);
    const schema = Schema.table({
      columns: { id: columns.text(), name: columns.text(), name_sort: columns.text() },
      primaryKey: ["id"],
    });
    return { people: await namespace.createTable("people", schema), id: "1", name: "Zoë" };
  },
  "docs/rows.md 1": async (closing) => {
    const namespace = await embedded(closing);
    const schema = Schema.table({
      columns: { id: columns.text(), seen: columns.bool() },
      primaryKey: ["id"],
    });
    const events = await namespace.createTable("events", schema);
    await events.put({ id: "event:001", seen: true });
    return { events };
  },
  "docs/patterns.md 1": async (closing) => {
    const namespace = await embedded(closing);
    const schema = Schema.table({
      columns: { id: columns.text(), state: columns.text() },
      primaryKey: ["id"],
    });
    const leases = await namespace.patterns.leases("leases");
    const lease = await leases.acquire("shipping", { owner: "worker-1", ttlMs: 30_000 });
    return { orders: await namespace.createTable("orders", schema), leases, lease };
  },
  "docs/patterns.md 2": patterned({}),
  "docs/patterns.md 3": patterned({ send: () => {} }),
  "docs/patterns.md 4": patterned({
    kept: 0n,
    signal: new AbortController().signal,
    handle: () => {},
    keep: enough,
  }),
  "docs/patterns.md 5": patterned({}),
  "docs/patterns.md 6": async (closing) => {
    const namespace = await embedded(closing);
    const schema = Schema.table({
      columns: { id: columns.text(), amount: columns.int4() },
      primaryKey: ["id"],
    });
    const payments = await namespace.createTable("payments", schema);
    return { patterns: namespace.patterns, payments, request: REQUEST };
  },
  "docs/patterns.md 7": async (closing) => {
    const { patterns } = await embedded(closing);
    const pay = async () => ({ state: "paid" });
    return {
      commands: await patterns.idempotency("commands"),
      command: { scope: "payments", key: REQUEST.id, hash: REQUEST.hash },
      request: REQUEST,
      pay,
      findOrPay: pay,
    };
  },
  "docs/patterns.md 8": patterned({ message: { id: "m1" } }),
  "docs/patterns.md 9": async (closing) => {
    const namespace = await embedded(closing);
    await namespace.createTable("events", TIMED);
    return { patterns: namespace.patterns };
  },
  "docs/patterns.md 10": patterned({}),
  "docs/patterns.md 11": patterned({ signal: new AbortController().signal, handle: enough }),
  "docs/patterns.md 12": calling({}, async (namespace) => {
    const schema = Schema.table({
      columns: { id: columns.text(), state: columns.text() },
      primaryKey: ["id"],
    });
    await namespace.createTable("orders", schema);
  }),
  "docs/patterns.md 13": calling({ send: () => {} }),
  "docs/patterns.md 14": calling({}),
  "docs/patterns.md 15": calling({}),
  "docs/patterns.md 16": calling({
    request: REQUEST,
    pay: async () => ({ state: "paid" }),
    findOrPay: async () => ({ state: "paid" }),
  }),
  "docs/patterns.md 17": calling({ message: { id: "m1" } }),
  "docs/patterns.md 18": calling({}, async (namespace) => {
    await namespace.createTable("events", TIMED);
  }),
  "docs/patterns.md 19": calling({}),
  "docs/patterns.md 20": calling({}),
};

/** Examples that run elsewhere: `test/keys/docs.test.ts`, `test/lsm/readme.test.ts`. */
const ELSEWHERE = /"firn-catalog\/(?:keys|lsm)"/;

const FILES = [
  "README.md",
  ...readdirSync(new URL("docs/", ROOT))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

const EXAMPLES: readonly Example[] = FILES.flatMap((file) => {
  const text = readFileSync(new URL(file, ROOT), "utf8");
  const blocks = [...text.matchAll(/^```(?:ts|js)\n([\s\S]*?)^```$/gm)];
  return blocks
    .map(([, code = ""], index) => ({ file, index, code }))
    .filter(({ code }) => !ELSEWHERE.test(code));
});

/** An example as a function of what it takes for granted. */
async function run(
  { code }: Example,
  { scope, directory }: { readonly scope: Scope; readonly directory: string },
  print: (line: string) => void,
): Promise<void> {
  const imports = [...code.matchAll(/^import (.*) from "([^"]+)";.*$/gm)];
  const bound = imports.map(([, names = "", door = ""]) => {
    const path = new URL(DOORS[door] ?? `no-door-${door}`, ROOT).href;
    return `const ${names} = await import(${JSON.stringify(path)});`;
  });
  // Nothing of an example stays behind in the checkout.
  const own = JSON.stringify(directory);
  const body = code.replaceAll(/^import .*$/gm, "").replaceAll('"./data"', own);
  const javascript = stripTypeScriptTypes(`async () => {\n${bound.join("\n")}\n${body}}`);
  const log = (...values: readonly unknown[]) =>
    print(formatWithOptions({ breakLength: Number.POSITIVE_INFINITY }, ...values));
  const all = { console: { log }, ...scope };
  const source = `export default ({ ${Object.keys(all).join(", ")} }) => (${javascript})();`;
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  await module.default(all);
}

it.each(EXAMPLES.map((example) => [`${example.file} ${example.index}`, example] as const))(
  "the example %s runs, and prints what it shows",
  { timeout: 60_000 },
  async (name, example) => {
    const closing: (() => unknown)[] = [];
    const printed: string[] = [];
    const directory = mkdtempSync(join(tmpdir(), "firn-docs-"));
    closing.push(() => rmSync(directory, { recursive: true, force: true }));
    try {
      const scope = (await SCOPES[name]?.(closing)) ?? {};
      await run(example, { scope, directory }, (line) => printed.push(line)).catch(
        (error: unknown) => {
          if (error !== ENOUGH) throw error;
        },
      );
    } finally {
      for (const close of closing) await close();
    }
    const shown = [...example.code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)];
    if (example.code.includes("firn-catalog/testing")) {
      expect(shown.length).toBeGreaterThan(0);
      expect(printed).toEqual(shown.map(([, line]) => line));
    }
  },
);

it("the docs have examples, and each that is prepared exists", () => {
  expect(EXAMPLES.length).toBeGreaterThanOrEqual(8);
  const names = EXAMPLES.map(({ file, index }) => `${file} ${index}`);
  expect(names).toEqual(expect.arrayContaining(Object.keys(SCOPES)));
});

it("the fixture of docs/embed.md is what the loader takes", async () => {
  const { FixtureLoader } = await import("../../src/testing/fixture.ts");
  const text = readFileSync(new URL("docs/embed.md", ROOT), "utf8");
  const fixture = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? "");
  const namespace = fixture.catalogs[0].namespaces.at(-1);
  // A metadata file is not part of the page.
  namespace.tables = namespace.tables.filter((table: object) => !("register" in table));
  await using firn = await Firn.open();
  await new FixtureLoader((request) => firn.fetch(request), tmpdir()).load(fixture);
  const found = await firn.fetch(
    new Request("http://firn/api/v1/catalogs/lake/namespaces/glacier.deep/tables/cores"),
  );
  expect(await found.json()).toMatchObject({ name: "cores", format: "ICEBERG" });
});
