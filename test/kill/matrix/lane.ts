import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { must } from "../ledger.ts";
import type { Plan } from "./fate.ts";
import { inspect } from "./shard.ts";

const LIFE = fileURLToPath(new URL("./life.ts", import.meta.url));
/** A life takes half a second; one that takes this long hangs. */
const LIMIT_MS = 60_000;
/** Batches that are written at once. */
const WRITERS = 3;

/** What a process told until its end. */
export interface Life {
  /** The last batch that it found; undefined where it ended before it had the shard open. */
  readonly found: number | undefined;
  readonly acknowledged: number;
  /** The last ingest that was begun, and the last one that was acknowledged. */
  readonly loads: number;
  readonly loaded: number;
  /** It came to its plan, and died there. */
  readonly died: boolean;
  readonly fenced: boolean;
  /** Steps that it came to, where it was not killed, and how often. */
  readonly steps: ReadonlyMap<string, number>;
}

/** A process that runs; `ended` resolves when it is gone. */
interface Running {
  readonly child: ChildProcess;
  readonly serves: Promise<void>;
  readonly ended: Promise<Life>;
}

/** One directory, and its owners one after the other: what an owner left, the next one finds. */
export class Lane {
  readonly directory: string = mkdtempSync(join(tmpdir(), "firn-matrix-"));
  readonly #modules: string;
  lives = 0;
  acknowledged = 0;
  /** Batches that were found though nobody was told that they are durable. */
  landed = 0;
  /** Files of writes that death broke off, as each look found them. */
  temporary = 0;
  /** The last batch, as the last look found it. */
  #last = 0;
  /** The last ingest, likewise, and how many were begun. */
  #load = 0;
  #begun = 0;

  /** @param modules a directory where lives keep their compiled modules: most of their time. */
  constructor(modules: string) {
    this.#modules = modules;
  }

  /** One owner, until it dies as planned, or has done everything. @throws Violation */
  async live(plan: Plan | undefined): Promise<Life> {
    const life = await this.#spawn("whole", plan).ended;
    must(plan === undefined || life.died || life.steps.size > 0, "a life ended early");
    await this.#settle([life]);
    return life;
  }

  /**
   * One owner writes on while another takes over. Nobody is fenced without a successor, and what
   * the first was told is what the second has found.
   *
   * @throws Violation
   */
  async rival(first: Plan | undefined, second: Plan | undefined): Promise<readonly [Life, Life]> {
    const owner = this.#spawn("work", first);
    await owner.serves;
    const heir = await this.#spawn("whole", second).ended;
    if (heir.found === undefined) owner.child.kill("SIGKILL");
    const before = await owner.ended;
    if (heir.found !== undefined) {
      must(before.fenced || before.died, "an owner goes on that was fenced");
      const { acknowledged } = before;
      must(acknowledged <= heir.found, `batch ${acknowledged} lost to the heir: ${heir.found}`);
    }
    await this.#settle([before, heir]);
    return [before, heir];
  }

  end(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #settle(lives: readonly Life[]): Promise<void> {
    this.lives += lives.length;
    const [first] = lives;
    if (first?.found !== undefined) {
      must(first.found === this.#last, `batch ${first.found} found, ${this.#last} by the look`);
    }
    const told = Math.max(this.#last, ...lives.map(({ acknowledged }) => acknowledged));
    this.#begun += lives.filter(({ loads }) => loads > 0).length;
    const { last, load, temporary } = await inspect(this.directory, this.#begun);
    const loaded = Math.max(this.#load, ...lives.map((life) => life.loaded));
    const loads = Math.max(this.#load, ...lives.map((life) => life.loads));
    must(load >= loaded, `ingest ${loaded} was acknowledged, and the last one is ${load}`);
    must(load <= loads, `ingest ${load} is nobody's, after ${loads}`);
    must(last >= told, `batch ${told} was acknowledged, and the last one is ${last}`);
    must(last <= told + WRITERS * lives.length, `batch ${last} is nobody's, after ${told}`);
    for (const { found, acknowledged } of lives) {
      this.acknowledged += Math.max(0, acknowledged - (found ?? acknowledged));
    }
    this.landed += last - told;
    this.temporary += temporary;
    this.#last = last;
    this.#load = load;
  }

  #spawn(mode: "whole" | "work", plan: Plan | undefined): Running {
    const args = [
      LIFE,
      this.directory,
      mode,
      ...(plan === undefined ? [] : [JSON.stringify(plan)]),
    ];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMIT_MS,
      env: { ...process.env, NODE_COMPILE_CACHE: this.#modules },
    });
    const serves = Promise.withResolvers<void>();
    return { child, serves: serves.promise, ended: listen(child, plan, serves.resolve) };
  }
}

async function listen(
  child: ChildProcess,
  plan: Plan | undefined,
  serves: () => void,
): Promise<Life> {
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors += String(chunk);
  });
  const ended = once(child, "close");
  let found: number | undefined;
  let acknowledged = 0;
  let loads = 0;
  let loaded = 0;
  let died = false;
  let fenced = false;
  let steps: ReadonlyMap<string, number> = new Map();
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const space = line.indexOf(" ");
    const word = space < 0 ? line : line.slice(0, space);
    const rest = line.slice(space + 1);
    if (word === "found") found = Number(rest);
    if (word === "ack") acknowledged = Math.max(acknowledged, Number(rest));
    if (word === "loads") loads = Number(rest);
    if (word === "loaded") loaded = Number(rest);
    if (word === "dies") died = rest === `${plan?.moment} ${plan?.step}`;
    if (word === "fenced") fenced = true;
    if (word === "end") steps = stepsOf(rest);
    // The first acknowledgement, not the open: then the owner has a segment to be fenced from.
    if (word === "ack" || word === "dies") serves();
  }
  const [code, signal] = await ended;
  serves();
  must(errors === "", `a life failed: ${errors}`);
  must(code === 0 || signal === "SIGKILL", `a life ended with ${code ?? signal}`);
  must(!died || signal === "SIGKILL", "a life went on after its end");
  return { found, acknowledged, loads, loaded, died, fenced, steps };
}

function stepsOf(report: string): ReadonlyMap<string, number> {
  const steps = JSON.parse(report) as readonly { step: string; calls: number }[];
  return new Map(steps.map(({ step, calls }) => [step, calls]));
}
