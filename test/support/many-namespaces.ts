import type { ChangeId, NamespaceId, Revision } from "../../src/base/ids.ts";
import type { AccountCatalog } from "../../src/catalog/catalog.ts";
import { encodeChangeOp } from "../../src/catalog/changes.ts";
import { entityPointers } from "../../src/catalog/entity-pointers.ts";
import type { Namespace } from "../../src/catalog/model.ts";
import { byIdKey, relativeKey, shaOfPath } from "../../src/catalog/paths.ts";
import type { Authorship, Payloads } from "../../src/catalog/payloads.ts";
import type { PointerOp } from "../../src/pointer/port.ts";
import { ACTOR } from "./open-catalog.ts";

type Put = Extract<PointerOp, { op: "put" }>;

/** A namespace as its create would leave it. */
export interface MadeNamespace {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Its pointers, and its change record. */
  readonly ops: readonly Put[];
}

const AN_HOUR_MS = 3_600_000;
const NUMBER = /01900000-0000-7000-8000-([0-9a-f]{12})/;

/** Namespaces of one catalog by their number, each the same whenever it is asked for. */
export class ManyNamespaces {
  readonly #template: Namespace;
  readonly #payloads: Payloads;
  readonly #account: AccountCatalog["context"]["account"];
  readonly #madeMs: number;

  private constructor({ context }: AccountCatalog, template: Namespace) {
    this.#template = template;
    this.#account = context.account;
    this.#payloads = context.payloads;
    this.#madeMs = context.clock.nowMs() - AN_HOUR_MS;
  }

  /** Makes the catalog, and a namespace that the others are like. */
  static async of(catalog: AccountCatalog): Promise<ManyNamespaces> {
    const ref = { catalog: "many", path: ["first"] };
    await catalog.catalogs.create(ACTOR, { name: "many", defaultLocation: "file:///many" });
    await catalog.namespaces.create(ACTOR, ref, {});
    return new ManyNamespaces(catalog, (await catalog.namespaces.get(ref)).entity);
  }

  make(number: number): MadeNamespace {
    const digits = (number + 1).toString(16).padStart(12, "0");
    const id = `01900000-0000-7000-8000-${digits}`;
    const entity: Namespace = { ...this.#template, id: id as NamespaceId, path: [`n${number}`] };
    const authorship: Authorship = {
      revision: id as Revision,
      updatedAtMs: this.#madeMs,
      updatedBy: "many",
      requestId: "many",
    };
    const { path, bytes } = this.#payloads.encode(entity, authorship);
    const { ops } = entityPointers(this.#account, "namespace", id, path, bytes);
    const key = relativeKey(this.#account, byIdKey("namespace", this.#account, id));
    const blobTo = Buffer.from(shaOfPath(path), "hex");
    const keys = [{ key, versionFrom: 0n, versionTo: 1n, deleted: false, blobTo }];
    const change = encodeChangeOp(this.#account, id as ChangeId, "create", authorship, keys);
    return { path, bytes, ops: [...ops, change.op as Put] };
  }

  /** The number of the namespace that a payload is of. */
  static numberOf(path: string): number | undefined {
    const digits = NUMBER.exec(path)?.[1];
    return digits === undefined ? undefined : Number.parseInt(digits, 16) - 1;
  }
}
