/** One test of a JUnit report. */
export interface KitTest {
  /** `ClassName.method`, without the package. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** First line of the reason, where there is one. */
  readonly message: string;
}

const TOKEN = /<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([\w-]+)((?:\s+[\w:.-]+="[^"]*")*)\s*(\/?)>/g;
const ATTRIBUTE = /([\w:.-]+)="([^"]*)"/g;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name] ?? whole;
  });
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(ATTRIBUTE)].map(([, name = "", value = ""]) => [name, decodeEntities(value)]),
  );
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

function testOf(attributes: ReadonlyMap<string, string>): KitTest {
  const className = attributes.get("classname")?.split(".").at(-1) ?? "";
  const method = attributes.get("name")?.replace(/\(.*$/, "") ?? "";
  return { name: `${className}.${method}`, outcome: "passed", message: "" };
}

/**
 * The tests of a report as JUnit's console launcher writes it: one `testsuite` of `testcase`s.
 *
 * @throws Error when the tests found are not those that the report itself counts.
 */
export function readJUnitReport(xml: string): readonly KitTest[] {
  const tests: KitTest[] = [];
  let counted = "";
  let inReason = false;
  const amend = (change: Partial<KitTest>): void => {
    const last = tests.pop();
    if (last !== undefined) tests.push({ ...last, ...change });
  };
  for (const [, text, close, tag, attributeText = "", empty] of xml.matchAll(TOKEN)) {
    if (text !== undefined) {
      if (inReason && tests.at(-1)?.message === "") amend({ message: firstLine(text) });
      continue;
    }
    const reason = tag === "failure" || tag === "error" || tag === "skipped";
    if (reason) inReason = close === "" && empty === "";
    if (close !== "") continue;
    const attributes = attributesOf(attributeText);
    if (tag === "testsuite") counted = countsOf((name) => Number(attributes.get(name)));
    else if (tag === "testcase") tests.push(testOf(attributes));
    else if (reason) {
      const message = firstLine(attributes.get("message") ?? "");
      amend({ outcome: tag === "skipped" ? "skipped" : "failed", message });
    }
  }
  const number = (outcome: string) => tests.filter((test) => test.outcome === outcome).length;
  const found = `${tests.length} tests, ${number("failed")} failed, ${number("skipped")} skipped`;
  if (found !== counted) throw new Error(`the report counts ${counted}; found: ${found}`);
  return tests;
}

function countsOf(count: (attribute: string) => number): string {
  const failed = count("failures") + count("errors");
  return `${count("tests")} tests, ${failed} failed, ${count("skipped")} skipped`;
}
