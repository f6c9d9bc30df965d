import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { Blob, BlobInfo, PutCondition, PutResult } from "../../src/blob/port.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import type { Answer, Call } from "./store-process.ts";

const CHILD = fileURLToPath(new URL("./store-process.ts", import.meta.url));

/** A directory as another process sees and changes it. Only the methods that races use. */
export class RemoteStore extends MemoryBlobStore {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #calls = 0;

  constructor(child: ChildProcess) {
    super(new VirtualClock());
    this.child = child;
    child.on("message", (answer: Answer) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    child.on("exit", () => {
      for (const [id, settle] of this.#waiting) settle({ id, failure: { kind: "Unknown" } });
    });
  }

  override get(path: string): Promise<Blob | undefined> {
    return this.#call("get", path);
  }

  override getSuffix(path: string, length: number): Promise<Blob | undefined> {
    return this.#call("getSuffix", path, length);
  }

  override head(path: string): Promise<BlobInfo | undefined> {
    return this.#call("head", path);
  }

  override put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    return this.#call("put", path, bytes, condition);
  }

  create(path: string, pieces: readonly Uint8Array[]): Promise<boolean> {
    return this.#call("create", path, pieces);
  }

  override delete(path: string): Promise<void> {
    return this.#call("delete", path);
  }

  /** Takes the root's lock until the process ends. */
  hold(): Promise<void> {
    return this.#call("hold");
  }

  /** Begins a write to a path that never ends. */
  stage(path: string): Promise<void> {
    return this.#call("stage", path);
  }

  /** Creates `race/{round}` in step with a rival process. @returns the rounds that this one won. */
  race(markers: string, me: string, rival: string, rounds: number): Promise<number[]> {
    return this.#call("race", markers, me, rival, rounds);
  }

  /** Ends the process as a power cut would, whatever it is doing. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exited;
  }

  #call<T>(method: Call["method"], ...args: readonly unknown[]): Promise<T> {
    const id = this.#calls++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ value, failure }) =>
        failure === undefined ? resolve(value as T) : reject(failure),
      );
      this.child.send({ id, method, args } satisfies Call);
    });
  }
}

export function openRemote(root: string, durable = false): RemoteStore {
  return new RemoteStore(
    fork(CHILD, [root, `${durable}`], { execArgv: [], serialization: "advanced" }),
  );
}

/** As `openRemote`, in a process that may write files of at most `blocks` × 512 bytes. */
export function openLimited(root: string, blocks: number, durable = true): RemoteStore {
  const script = `ulimit -f ${blocks}; exec "$@"`;
  const child = spawn("sh", ["-c", script, "sh", process.execPath, CHILD, root, `${durable}`], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "advanced",
  });
  return new RemoteStore(child);
}
