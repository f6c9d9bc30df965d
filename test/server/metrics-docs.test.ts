import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { Firn } from "../../src/index.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

/*
 * What the docs tell an operator to watch exists. Figures of profile `aws` alone are not printed by
 * the process that is asked here: those are looked for in the source.
 */

const NAME = /\bfirn_[a-z0-9_]*[a-z0-9]\b/g;
/** What Prometheus adds to the name of a histogram. */
const PART = /_(?:bucket|count|sum)$/;

async function textsOf(directory: string, ext: string): Promise<readonly string[]> {
  const found = await readdir(directory, { recursive: true });
  const paths = found.filter((name) => name.endsWith(ext)).map((name) => join(directory, name));
  return Promise.all(paths.map((path) => readFile(path, "utf8")));
}

/** Name and type of each figure that a process of profile `local` prints. */
async function printed(): Promise<ReadonlyMap<string, string>> {
  const dir = scratchDirectory();
  const listen = { port: 0 };
  const firn = await Firn.open({ profile: "local", dir, logLevel: "silent", listen });
  onTestFinished(() => firn.close());
  const text = await (await fetch(new URL("/metrics", firn.url))).text();
  const types = text.matchAll(/^# TYPE (\S+) (\S+)$/gm);
  return new Map(Array.from(types, ([, name = "", type = ""]) => [name, type]));
}

test("every metric that the docs name exists", async () => {
  const figures = await printed();
  expect(figures.size).toBeGreaterThan(50);
  const source = (await textsOf("src", ".ts")).join("\n");
  const declared = new Set(
    Array.from(source.matchAll(/name: "(firn_[a-z0-9_]+)"/g), ([, name]) => name),
  );
  const exists = (name: string): boolean => {
    if (figures.has(name) || declared.has(name)) return true;
    return PART.test(name) && figures.get(name.replace(PART, "")) === "histogram";
  };
  const kinds = await Promise.all([".md", ".json", ".yaml"].map((ext) => textsOf("docs", ext)));
  // A dashboard and the alert rules are among them, whatever else there is.
  const hasNames = (texts: readonly string[]) => texts.some((text) => text.match(NAME) !== null);
  expect(kinds.map(hasNames)).toEqual([true, true, true]);
  const docs = kinds.flat();
  const named = new Set(docs.flatMap((text) => text.match(NAME) ?? []));
  expect(named.size).toBeGreaterThan(30);
  expect([...named].filter((name) => !exists(name))).toEqual([]);
});

test("the dashboard and the alert rules are whole", async () => {
  const dashboard = JSON.parse(await readFile("docs/grafana.json", "utf8")) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const { groups } = parse(await readFile("docs/alerts.yaml", "utf8")) as {
    readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
  };
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const alerts = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  expect([shown.length, alerts.length].every((count) => count > 5)).toBe(true);
  for (const expr of [...shown, ...alerts]) {
    expect(expr).toMatch(/firn_|^up/);
    const count = (sign: string) => expr.split(sign).length;
    expect([expr, count("("), count("{"), count("[")]).toEqual([
      expr,
      count(")"),
      count("}"),
      count("]"),
    ]);
  }
});
