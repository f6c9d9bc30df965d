import { expect, it } from "vitest";
import { textLine } from "../../src/server/log-text.ts";

const TIME = "2026-01-31T12:34:56.789Z";

function line(fields: object): string {
  return textLine(JSON.stringify({ level: "info", time: TIME, ...fields }));
}

it("shows a request with the names of its path", () => {
  const request = { msg: "request", requestId: "r", method: "GET", status: 200, ms: 1.2 };
  const route = "/iceberg/v1/{prefix}/namespaces/{namespace}/tables/{table}";
  const names = { namespace: "glacier", table: "cores" };
  expect(line({ ...request, route, ...names })).toBe(
    `12:34:56.789 INFO  GET  glacier.cores 200 1.2 ms ${route}\n`,
  );
  expect(line({ ...request, route: "/livez", status: 503 })).toBe(
    "12:34:56.789 INFO  GET  503 1.2 ms /livez requestId=r\n",
  );
});

it("shows fields, and a stack on lines below", () => {
  expect(line({ level: "error", msg: "it failed", code: "X", context: { a: 1 } })).toBe(
    `12:34:56.789 ERROR it failed code=X context="{\\"a\\":1}"\n`,
  );
  expect(line({ msg: "it failed", stack: "Error: x\n at y" })).toBe(
    "12:34:56.789 INFO  it failed\n    Error: x\n     at y\n",
  );
});

it("lets no name from outside steer the terminal", () => {
  const names = { namespace: "a\u001b[2J", table: "b\u009b1m\u202e\n" };
  const request = { msg: "request", method: "GET", status: 200, ms: 1, route: "/x" };
  const shown = line({ ...request, ...names });
  expect(shown).toContain("a\\u{1b}[2J.b\\u{9b}1m\\u{202e}\\u{a}");
  expect(shown.trimEnd()).not.toMatch(/\p{C}/u);
});
