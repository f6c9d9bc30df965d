import { type AccountStores, openAccount } from "../../../src/catalog/accounts.ts";
import type { AccountCatalog } from "../../../src/catalog/catalog.ts";
import { Catalogs } from "../../../src/catalog/catalogs.ts";
import { parseKey } from "../../../src/catalog/keys.ts";
import { Namespaces } from "../../../src/catalog/namespaces.ts";
import { type Resolved, Resolver } from "../../../src/catalog/resolve.ts";
import { Tables } from "../../../src/catalog/tables.ts";
import { Views } from "../../../src/catalog/views.ts";
import type { Batch, Item, PointerOp, PointerStore } from "../../../src/pointer/port.ts";
import { gatedBlobs, gatedPointers } from "./gate.ts";
import type { Wrapping } from "./world.ts";

/** A defect put in on purpose, between the nodes and the stores or above them. */
export interface SeededBug {
  readonly name: string;
  readonly wrapping: Wrapping;
  /** Shown by two that want one thing rather than by a parent that vanishes: looked for there. */
  readonly rivals?: boolean;
}

/** Changes what is sent; everything else goes through, with stops. */
function sending(
  rewrite: (batch: Batch, inner: PointerStore) => Promise<Batch>,
): Pick<Wrapping, "pointers" | "blobs"> {
  return {
    blobs: gatedBlobs,
    pointers: (inner) => {
      const gated = gatedPointers(inner);
      return {
        ...gated,
        get: (key) => gated.get(key),
        commit: async (batch) => gated.commit(await rewrite(batch, inner)),
      };
    },
  };
}

/** Changes each operation alone; undefined leaves it out. */
function eachOp(change: (op: PointerOp) => PointerOp | undefined): Wrapping {
  return sending(async (batch) => ({
    ...batch,
    ops: batch.ops.map(change).filter((op) => op !== undefined),
  }));
}

function isFamily(key: string, ...families: readonly string[]): boolean {
  return families.includes(parseKey(key).family);
}

const isGuard = (key: string): boolean => isFamily(key, "catalogGuard", "namespaceGuard");

/** Takes over whatever version stands there now: a compare-and-set without the comparison. */
function blindly(families: readonly string[]): Wrapping {
  return sending(async (batch, inner) => {
    const ops: PointerOp[] = [];
    for (const op of batch.ops) {
      const blind = (op.op === "put" || op.op === "delete") && isFamily(op.key, ...families);
      ops.push(blind ? { ...op, expected: (await inner.get(op.key)).version } : op);
    }
    return { ...batch, ops };
  });
}

/** Believes its cache: what was proven once is taken for true for ever. */
function unproven(stores: AccountStores): Promise<AccountCatalog> {
  return openWith(stores, (resolver) => {
    const known = new Map<string, Resolved<unknown>>();
    return {
      resolve: async (ref: Parameters<Resolver["resolve"]>[0], options = {}) => {
        const key = JSON.stringify(ref);
        const plain = Object.keys(options).length === 0;
        const found = plain ? known.get(key) : undefined;
        if (found !== undefined) return found;
        const resolved = await resolver.resolve(ref, options);
        known.set(key, resolved);
        return resolved;
      },
    } as unknown as Resolver;
  });
}

async function openWith(
  stores: AccountStores,
  wrap: (resolver: Resolver) => Resolver,
): Promise<AccountCatalog> {
  const context = await openAccount(stores, "default");
  const resolver = wrap(new Resolver(context));
  return {
    context,
    catalogs: new Catalogs(context, resolver),
    namespaces: new Namespaces(context, resolver),
    tables: new Tables(context, resolver),
    views: new Views(context, resolver),
  } as unknown as AccountCatalog;
}

/** Answers the current state of canonical pointers only once: later reads see the first. */
function staleReads(inner: PointerStore): PointerStore {
  const seen = new Map<string, Item>();
  const gated = gatedPointers(inner);
  const stale = (item: Item): Item => {
    if (!isFamily(item.key, "catalogById", "namespaceById", "tableById", "viewById")) return item;
    const first = seen.get(item.key) ?? item;
    seen.set(item.key, first);
    return first;
  };
  return {
    ...gated,
    get: async (key) => stale(await gated.get(key)),
    getMany: async (keys) => (await gated.getMany(keys)).map(stale),
  };
}

const stops = { pointers: gatedPointers, blobs: gatedBlobs };

/** Each of these must be caught by a schedule. */
export const SEEDED_BUGS: readonly SeededBug[] = [
  {
    name: "a parent checks its guards instead of deleting them",
    wrapping: eachOp((op) => (op.op === "delete" && isGuard(op.key) ? { ...op, op: "check" } : op)),
  },
  {
    name: "a child does not bump its parent's guard",
    wrapping: eachOp((op) => (op.op === "bump" ? undefined : op)),
  },
  {
    name: "a parent deletes its guards at whatever version they have",
    wrapping: blindly(["catalogGuard", "namespaceGuard"]),
  },
  {
    name: "guards of a new generation are not put",
    wrapping: eachOp((op) => (op.op === "put" && isGuard(op.key) ? undefined : op)),
  },
  {
    name: "the canonical pointer is put without a comparison",
    rivals: true,
    wrapping: blindly(["catalogById", "namespaceById", "tableById", "viewById"]),
  },
  {
    name: "names are put without a comparison",
    rivals: true,
    wrapping: blindly([
      "catalogByName",
      "namespaceByPath",
      "relationByName",
      "tableByName",
      "viewByName",
    ]),
  },
  {
    name: "locations are claimed without a comparison",
    rivals: true,
    wrapping: blindly(["location"]),
  },
  {
    name: "the receipt is left out of the batch",
    wrapping: eachOp((op) => (isFamily(op.key, "receipt", "keyedReceipt") ? undefined : op)),
  },
  {
    name: "the change record is left out of the batch",
    wrapping: eachOp((op) => (isFamily(op.key, "change") ? undefined : op)),
  },
  {
    name: "a rename leaves the old name behind",
    wrapping: eachOp((op) =>
      op.op === "delete" && isFamily(op.key, "relationByName", "namespaceByPath", "catalogByName")
        ? undefined
        : op,
    ),
  },
  {
    name: "a drop leaves the claim of the location",
    rivals: true,
    wrapping: eachOp((op) => (op.op === "delete" && isFamily(op.key, "location") ? undefined : op)),
  },
  {
    name: "the listing is not written",
    wrapping: eachOp((op) => (isFamily(op.key, "tableByName", "viewByName") ? undefined : op)),
  },
  {
    name: "the resolver believes its cache",
    rivals: true,
    wrapping: { ...stops, open: unproven },
  },
  {
    name: "canonical pointers are read from a stale copy",
    wrapping: { ...stops, pointers: staleReads },
  },
  {
    name: "the payload is not put before its pointer",
    wrapping: {
      ...stops,
      blobs: (inner) => ({
        ...gatedBlobs(inner),
        put: async (path, bytes, condition) =>
          path.startsWith("accounts/")
            ? { outcome: "stored", etag: "none" }
            : inner.put(path, bytes, condition),
      }),
    },
  },
];
