import { describe, expect, it } from "vitest";
import { readJUnitReport } from "./junit.ts";

function report(totals: string, ...cases: readonly string[]): string {
  return `<?xml version='1.0' encoding='UTF-8'?>
<testsuite name="JUnit Jupiter" ${totals} time="1.0">
<properties><property name="user.dir" value="/a &lt;b&gt;"/></properties>
${cases.join("\n")}
</testsuite>`;
}

const PASSED = '<testcase name="one()" classname="org.example.Kit" time="0.1"/>';
const FAILED = `<testcase name="two()" classname="org.example.Kit" time="0.1">
<failure message="expected: &quot;a&quot; &#10; but was" type="java.lang.AssertionError">
<![CDATA[trace with a <testcase name="no"> and </failure> inside]]></failure>
<system-out><![CDATA[<skipped/>]]></system-out>
</testcase>`;
const BROKEN = `<testcase name="three()" classname="org.example.Kit" time="0">
<error type="java.lang.IllegalStateException"><![CDATA[java.lang.IllegalStateException: gone
	at org.example.Kit]]></error>
</testcase>`;
const SKIPPED = `<testcase name="four(String)" classname="org.example.Kit" time="0">
<skipped><![CDATA[Assumption failed]]></skipped>
<system-out><![CDATA[unique-id: four]]></system-out>
</testcase>`;

describe("a JUnit report", () => {
  it("gives each test its outcome and the first line of its reason", () => {
    const totals = 'tests="4" skipped="1" failures="1" errors="1"';
    expect(readJUnitReport(report(totals, PASSED, FAILED, BROKEN, SKIPPED))).toEqual([
      { name: "Kit.one", outcome: "passed", message: "" },
      { name: "Kit.two", outcome: "failed", message: 'expected: "a" ' },
      { name: "Kit.three", outcome: "failed", message: "java.lang.IllegalStateException: gone" },
      { name: "Kit.four", outcome: "skipped", message: "Assumption failed" },
    ]);
  });

  it.each([
    ["a test that is missing", 'tests="2" skipped="0" failures="0" errors="0"', PASSED],
    ["a failure that is not found", 'tests="1" skipped="0" failures="1" errors="0"', PASSED],
    ["a failure that is not counted", 'tests="1" skipped="0" failures="0" errors="0"', FAILED],
    ["a skip taken for a pass", 'tests="1" skipped="0" failures="0" errors="0"', SKIPPED],
  ])("is refused over %s", (_, totals, test) => {
    expect(() => readJUnitReport(report(totals, test))).toThrow();
  });

  it("is refused when it was cut off before its first test, or is none", () => {
    expect(() => readJUnitReport("")).toThrow();
    expect(() => readJUnitReport("<html></html>")).toThrow();
  });
});
