import { SeededPrng } from "../../../../src/base/prng.ts";
import { TURN_LIMIT_MS, type TurnLog } from "../turns.ts";
import { column, struct } from "./schemas.ts";
import { type Hostile, SHAPES } from "./shapes.ts";
import { Size } from "./size.ts";
import { representation, viewVersion } from "./updates.ts";

/** An answer may take as long as a request may stay open, and what a busy machine adds. */
const OPEN_LIMIT_MS = 35_000;

interface Named {
  readonly namespace: string;
  readonly uuid: string;
  readonly location: string;
}

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly body: string;
}

/**
 * Sends requests whose size and shape are hostile, each to a namespace of its own, and looks at
 * what the server answers and at how long it kept its event loop.
 */
export class ShapeRunner {
  readonly #url: string;
  readonly #turns: TurnLog;
  readonly #outcomes = new Map<string, number>();
  sent = 0;

  constructor(url: string, turns: TurnLog) {
    this.#url = url;
    this.#turns = turns;
  }

  /** Sends so many, every shape in turn. @returns what does not hold, a line each. */
  async run(count: number, seed: number, only = ""): Promise<readonly string[]> {
    const problems: string[] = [];
    const names = [...SHAPES.keys()].filter((name) => name.includes(only));
    if (names.length === 0) throw new Error(`no shape is named ${only}`);
    for (let index = 0; index < count; index++) {
      const name = names[(index + seed) % names.length] ?? "";
      problems.push(...(await this.#one(name, seed + index)));
    }
    return problems;
  }

  report(): void {
    const outcomes = [...this.#outcomes].map(([outcome, n]) => `${outcome}: ${n}`).join(", ");
    console.log(`${this.sent} hostile shapes: ${outcomes}`);
  }

  async #one(name: string, seed: number): Promise<readonly string[]> {
    const hostile = SHAPES.get(name)?.(new Size(new SeededPrng(seed)));
    if (hostile === undefined) throw new Error(`no shape is named ${name}`);
    const named = await this.#prepare(`h${seed}`);
    this.#turns.take();
    const startedMs = performance.now();
    const answers = [
      await this.#send("POST", hostile.path, hostile.body, named),
      await this.#send("GET", "namespaces/@ns@/tables/t", undefined, named),
      await this.#send("GET", "namespaces/@ns@/views/v", undefined, named),
    ] as const;
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    await this.#send("GET", "config", undefined, named);
    const turnMs = this.#turns.take();
    const problems = answers.map(problemOf).filter((problem) => problem !== undefined);
    if (turnMs > TURN_LIMIT_MS) problems.push(`the event loop was held for ${turnMs} ms`);
    this.sent++;
    const { status, code } = answers[0];
    const outcome = code ?? String(status);
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    await this.#clear(hostile, named);
    const told = `${name}, ${hostile.body.length} bytes, ${status} in ${seconds} s`;
    const again = `npm run fuzz -- --shapes 1 --seed ${seed} --only "${name}"`;
    return problems.map((problem) => `${told}: ${problem}; again: ${again}`);
  }

  async #prepare(namespace: string): Promise<Named> {
    const named = { namespace, uuid: "", location: "" };
    const post = (path: string, body: string) => this.#send("POST", path, body, named);
    await post("namespaces", '{"namespace":["@ns@"]}');
    const schema = struct(column(1, "a"));
    const created = await post("namespaces/@ns@/tables", `{"name":"t","schema":${schema}}`);
    const version = viewVersion(1, representation("spark"));
    const view = `{"name":"v","schema":${schema},"view-version":${version},"properties":{}}`;
    await post("namespaces/@ns@/views", view);
    const member = (name: string): string =>
      new RegExp(`"${name}":"([^"]+)"`).exec(created.body)?.[1] ?? "";
    return { namespace, uuid: member("table-uuid"), location: member("location") };
  }

  /** What was made would cost the requests that follow their memory. */
  async #clear({ path }: Hostile, named: Named): Promise<void> {
    const made = path.endsWith("/views") ? "views/w" : "tables/u";
    for (const thing of ["tables/t", "views/v", made]) {
      await this.#send("DELETE", `namespaces/@ns@/${thing}`, undefined, named);
    }
  }

  async #send(
    method: string,
    path: string,
    text: string | undefined,
    { namespace, uuid, location }: Named,
  ): Promise<Answer> {
    const fill = (template: string): string =>
      template
        .replaceAll("@ns@", namespace)
        .replaceAll("@uuid@", uuid)
        .replaceAll("@location@", location)
        .replaceAll("@now@", () => String(Date.now()));
    const body = text === undefined ? null : fill(text);
    try {
      const response = await fetch(`${this.#url}/iceberg/v1/${fill(path)}`, {
        method,
        body,
        signal: AbortSignal.timeout(OPEN_LIMIT_MS),
        headers: { "content-type": "application/json", connection: "close" },
      });
      const { status, headers } = response;
      return { status, code: headers.get("x-firn-error"), body: await response.text() };
    } catch (error) {
      return { status: 0, code: null, body: String(error) };
    }
  }
}

function problemOf({ status, code, body }: Answer): string | undefined {
  if (status === 0) return `no answer: ${body}`;
  if (status >= 500) return `status ${status}: ${body.slice(0, 200)}`;
  if (status >= 400 && code === null) return `status ${status} without a code`;
  return undefined;
}
