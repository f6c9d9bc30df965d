import { DynamoDouble } from "../double/dynamo/service.ts";
import type { Item } from "../double/dynamo/value-types.ts";
import { Bucket, type StoredObject } from "../double/s3/model.ts";
import { S3Service } from "../double/s3/service.ts";
import { type Serving, serve } from "../double/server.ts";
import type { Services } from "./kinds.ts";
import type { ServiceName } from "./steps.ts";
import { type Strike, Wires } from "./wires.ts";

export const BUCKET = "firn-faults";
export const TABLE = "firn-faults";

/** All that both services hold. */
export interface Content {
  readonly objects: ReadonlyMap<string, StoredObject>;
  readonly items: readonly Item[];
  /** By the services' own clocks. */
  readonly nowMs: number;
}

export const EMPTY: Content = { objects: new Map(), items: [], nowMs: Date.UTC(2026, 0, 1) };

/** Ports of the loopback interface, behind which services stand that are new in every run. */
export class Doubles {
  readonly #serving = new Map<ServiceName, Serving>();
  #run: { readonly services: Services; readonly wires: Wires } | undefined;

  private constructor() {}

  static async open(): Promise<Doubles> {
    const doubles = new Doubles();
    for (const service of ["s3", "dynamo"] as const) {
      const serving = await serve((request) => doubles.#wires.handle(service, request));
      doubles.#serving.set(service, serving);
    }
    return doubles;
  }

  urlOf(service: ServiceName): string {
    return this.#serving.get(service)?.url ?? "";
  }

  /** Requests that reached either service so far. */
  get requests(): number {
    let count = 0;
    for (const serving of this.#serving.values()) count += serving.requests();
    return count;
  }

  /** Begins a run with nothing but this content in the services. */
  begin({ objects, items, nowMs }: Content, strikes: readonly Strike[]): Wires {
    const now = (): number => wires.clock.nowMs();
    const s3 = new S3Service({ now });
    const dynamo = new DynamoDouble({ nowMs: now });
    const wires = new Wires({ s3, dynamo }, nowMs, strikes);
    this.#run = { services: { s3, dynamo }, wires };
    const bucket = new Bucket(s3.region);
    for (const [key, object] of objects) bucket.set(key, object);
    s3.model.buckets.set(BUCKET, bucket);
    dynamo.tables.createReady(TABLE, { partition: "p", sort: "s" });
    const table = dynamo.tables.ready(TABLE);
    for (const item of items) table.put(table.placeOfItem(item), item);
    return wires;
  }

  /** What the services hold now. Nothing of it ever changes: what is written anew replaces it. */
  content(): Content {
    const { services, wires } = this.#current;
    const bucket = services.s3.model.buckets.get(BUCKET);
    const objects = new Map<string, StoredObject>();
    for (const key of bucket?.keys() ?? []) {
      const object = bucket?.get(key);
      if (object !== undefined) objects.set(key, object);
    }
    const items = services.dynamo.tables.ready(TABLE).all();
    return { objects, items, nowMs: wires.clock.nowMs() };
  }

  async close(): Promise<void> {
    for (const serving of this.#serving.values()) await serving.close();
  }

  get #wires(): Wires {
    return this.#current.wires;
  }

  get #current(): { readonly services: Services; readonly wires: Wires } {
    if (this.#run === undefined) throw new Error("no run has begun");
    return this.#run;
  }
}
