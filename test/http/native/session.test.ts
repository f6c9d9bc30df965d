import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { Api } from "./api.ts";

/** One command of a session in the documentation, and what it is answered. */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly status: number;
  readonly answer: unknown;
}

const BASE = "localhost:8181/api/v1";

/** The words of a command line; quotes hold words with spaces together. */
function words(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

function stepOf(command: string, answer: string): Step {
  const [, ...args] = words(command);
  const headers: Record<string, string> = {};
  let [method, path, body] = ["GET", "", undefined as string | undefined];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    if (word === "-X") method = args[++i] ?? "";
    else if (word === "-d") body = args[++i];
    else if (word === "-H") {
      const [name = "", value = ""] = (args[++i] ?? "").split(": ");
      headers[name] = value;
    } else if (word.startsWith(BASE)) path = word.slice(BASE.length);
    else if (word !== "-s") throw new Error(`a word that the replay does not know: ${word}`);
  }
  const [status = "", ...rest] = answer.split(" ");
  return {
    method,
    path,
    headers,
    body,
    status: Number(status),
    answer: JSON.parse(rest.join(" ")),
  };
}

async function readSession(): Promise<readonly Step[]> {
  const text = await readFile(new URL("../../../docs/native-api.md", import.meta.url), "utf8");
  const [, session = ""] = /```console\n([\s\S]*?)```/.exec(text) ?? [];
  const lines = session.trimEnd().split("\n");
  return lines.flatMap((line, i) =>
    line.startsWith("$ curl ") ? [stepOf(line.slice(2), lines[i + 1] ?? "")] : [],
  );
}

describe("docs/native-api.md", () => {
  it("shows a session that goes as it says", async () => {
    const steps = await readSession();
    expect(steps.length).toBeGreaterThan(10);
    await using api = await Api.open();
    for (const { method, path, headers, body, status, answer } of steps) {
      const real = await api.ask(method, path, body, headers);
      expect([method, path, real.status]).toEqual([method, path, status]);
      expect(real.body, `${method} ${path}`).toMatchObject(answer as object);
    }
  });
});
