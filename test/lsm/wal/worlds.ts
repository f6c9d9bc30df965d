import { type Prng, randomBelow } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import type { WalStore } from "../../../src/lsm/wal/port.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { type DiskScript, ModelledDisk } from "../../support/modelled-disk.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";

/** When the power goes: in which call, and how far that had come. */
export interface Cut {
  readonly call: number;
  /** `overtaken`: it is on its way, and a call that was made behind it is done. */
  readonly when: "before" | "during" | "overtaken" | "after";
}

/** The power is gone: nothing that was under way is ever answered. */
export class PowerCut extends Error {}

/** A medium that a log lies on, and the machine that it hangs on. */
export interface World {
  /** Calls to the medium so far. */
  readonly calls: number;
  store(prng: Prng, cut?: Cut): WalStore;
  /** What the next machine finds, if the power goes now. */
  afterCut(prng: Prng): World;
}

export const SIZES = { segmentBytes: 20_480, sliceBytes: 8_192 };

/** Segments of a few groups, so that a short life rolls, releases and recycles. */
export class SegmentWorld implements World {
  readonly disk: ModelledDisk;

  constructor(disk: ModelledDisk = new ModelledDisk()) {
    this.disk = disk;
  }

  get calls(): number {
    return this.disk.calls;
  }

  store(prng: Prng, cut?: Cut): WalStore {
    const disk = this.disk.view(cutScript(cut));
    return new SegmentWalStore(disk, { clock: new SleepIsTime(), prng, ...SIZES });
  }

  afterCut(prng: Prng): World {
    return new SegmentWorld(this.disk.afterCut(prng));
  }
}

function cutScript(cut: Cut | undefined): DiskScript {
  let off = false;
  return ({ index, when }) => {
    off ||= index === cut?.call && when === cut.when;
    if (off) throw new PowerCut();
  };
}

type Apply = () => Promise<unknown>;

/** Objects survive; a put that was sent may still arrive when another owner is there. */
export class ObjectWorld implements World {
  calls = 0;
  readonly #blobs: BlobStore;
  #sent: Apply | undefined;
  readonly #arriving: { readonly call: number; readonly apply: Apply }[] = [];

  constructor(blobs: BlobStore = new MemoryBlobStore(new SleepIsTime())) {
    this.#blobs = blobs;
  }

  store(prng: Prng, cut?: Cut): WalStore {
    const clock = new SleepIsTime();
    return new ObjectWalStore(this.#mortal(cut), { clock, prng, prefix: "w/", minAgeMs: 0 });
  }

  afterCut(prng: Prng): World {
    const next = new ObjectWorld(this.#blobs);
    const apply = this.#sent;
    if (apply !== undefined) next.#arriving.push({ call: randomBelow(prng, 8), apply });
    return next;
  }

  /** The store as a process sees it that ends with the power. */
  #mortal(cut: Cut | undefined): BlobStore {
    let off = false;
    let isOvertaken = false;
    const call = async (run: Apply): Promise<unknown> => {
      const index = this.calls++;
      for (const late of this.#arriving) if (late.call === index) await late.apply();
      const at = (when: Cut["when"]): void => {
        off ||= index === cut?.call && when === cut.when;
        if (!off) return;
        // Cut between the sending and the answer: the request is on its way.
        if (when === "during") this.#sent ??= run;
        throw new PowerCut();
      };
      at("before");
      at("during");
      if (index === cut?.call && cut.when === "overtaken") {
        isOvertaken = true;
        this.#sent ??= run;
        await new Promise((turn) => setImmediate(turn));
        off = true;
        throw new PowerCut();
      }
      const answer = await run();
      at("after");
      if (!isOvertaken) return answer;
      off = true;
      throw new PowerCut();
    };
    return new Proxy(this.#blobs, {
      get: (blobs, name) => {
        const method = Reflect.get(blobs, name) as (...args: readonly unknown[]) => unknown;
        return (...args: readonly unknown[]) => call(async () => method.apply(blobs, [...args]));
      },
    });
  }
}
