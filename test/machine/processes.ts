import type { ChildProcess, SpawnOptions } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { kill, spawnServer } from "../clients/server-process.ts";

/** A process that was started to serve, whether it gets to it or not. */
export class Started {
  readonly child: ChildProcess;
  #written = "";

  /** @param flags those of a test come last, and win. */
  constructor(directory: string, flags: readonly string[] = [], as: SpawnOptions = {}) {
    this.child = spawnServer(directory, flags, as);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#written += chunk.toString("utf8");
      });
    }
    onTestFinished(() => kill(this.child));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** All that it has written. */
  get written(): string {
    return this.#written;
  }

  /** Its exit code, when it ends. */
  ended(): Promise<number | null> {
    const { exitCode } = this.child;
    if (exitCode !== null) return Promise.resolve(exitCode);
    return new Promise((resolve) => this.child.once("exit", resolve));
  }

  /** Where it serves, once it does. @throws Error with what it wrote, when it ends instead. */
  async url(): Promise<string> {
    let over = false;
    void this.ended().then(() => {
      over = true;
    });
    for (;;) {
      const found = /serves (http:\/\/\S+)/.exec(this.#written)?.[1];
      if (found !== undefined) return found;
      if (over) throw new Error(`it ended, and wrote:\n${this.#written}`);
      await new Promise((resolve) => this.child.stdout?.once("data", resolve) ?? resolve(0));
    }
  }
}

/** A directory that goes with the test. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "firn-machine-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A port that nobody has at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

export interface Asked {
  readonly status: number;
  readonly code: string | null;
  readonly body: unknown;
}

/** One request; undefined where nobody answers. */
export async function ask(url: string, init?: RequestInit): Promise<Asked | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(20_000), ...init });
    const text = await response.text();
    const code = response.headers.get("X-Firn-Error");
    return { status: response.status, code, body: text === "" ? undefined : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Makes a namespace. */
export function create(url: string, name: string): Promise<Asked | undefined> {
  return ask(`${url}/iceberg/v1/namespaces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ namespace: [name] }),
  });
}

export function namespaces(url: string): Promise<Asked | undefined> {
  return ask(`${url}/iceberg/v1/namespaces`);
}
