import { expect, test } from "vitest";
import { Firn } from "../../src/index.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

async function post(firn: Firn, path: string, body: object): Promise<void> {
  const request = new Request(`http://firn/iceberg/v1/default/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const response = await firn.fetch(request);
  if (response.status >= 300) throw new Error(await response.text());
}

async function namespaces(firn: Firn, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await post(firn, "namespaces", { namespace: [`n${i}`] });
}

test("a closed store: what would go, and the next step by force", async () => {
  const dir = scratchDirectory();
  const firn = await Firn.open({ profile: "local", dir });
  await namespaces(firn, 3);
  await firn.close();
  const looked = await firnLine(["gc", dir]);
  expect(looked).toMatchObject({ exitCode: 0, errors: "" });
  // Nothing is old enough.
  expect(looked.out).toMatch(/^read \d+ pointers and \d+ payloads \(\d+ bytes\)\nno garbage\n$/);
  const forced = await firnLine(["gc", dir, "--force", "--json"]);
  expect(forced).toMatchObject({ exitCode: 0, errors: "" });
  const answer = JSON.parse(forced.out);
  expect(answer).toMatchObject({ mode: "force", report: { garbage: { payloads: { count: 0 } } } });
  expect(answer.report.pointers).toBeGreaterThan(20);
});

test("a running server does the collection, found by its directory or its URL", async () => {
  const dir = scratchDirectory();
  const firn = await Firn.open({ profile: "local", dir, listen: { port: 0 } });
  try {
    await namespaces(firn, 1);
    for (const line of [
      ["gc", dir],
      ["gc", firn.url ?? "", "--dir", dir],
      ["gc", dir, "--force"],
    ]) {
      const answer = await firnLine(line);
      expect(answer, line.join(" ")).toMatchObject({ exitCode: 0, errors: "" });
      expect(answer.out).toMatch(/^read \d+ pointers/);
    }
  } finally {
    await firn.close();
  }
});

test("what makes no sense is refused", async () => {
  const dir = scratchDirectory();
  expect(await firnLine(["gc", dir, "--force", "--dry-run"])).toMatchObject({ exitCode: 2 });
  expect(await firnLine(["gc", dir])).toMatchObject({ exitCode: 1 });
  const memory = await firnLine(["gc", "--profile", "memory"]);
  expect(memory.exitCode).toBe(1);
  expect(memory.errors).toContain("LSM_NO_SHARD");
});
