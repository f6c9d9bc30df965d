import { Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { splitKey } from "../base/key-text.ts";
import { putCertain } from "../pointer/certain.ts";
import { decodeSigningKey, encodeSigningKey, type StoredSigningKey } from "./codec/signing-key.ts";
import type { CatalogContext } from "./context.ts";
import { directoryOf, FAMILIES, keyOf } from "./keys.ts";
import { listPage } from "./pages.ts";

type Stores = Pick<CatalogContext, "pointers" | "clock" | "prng" | "ids">;

/** The keys of a deployment that sign access tokens, by their id. One list. */
export async function listSigningKeys({
  pointers,
}: Pick<Stores, "pointers">): Promise<ReadonlyMap<string, StoredSigningKey>> {
  const { items } = await listPage(pointers, directoryOf(FAMILIES.signingKey), {});
  return new Map(
    items.map((item) => [
      splitKey(item.key).leaf,
      decodeSigningKey(item.summary ?? new Uint8Array()),
    ]),
  );
}

/** Adds one. @throws FirnError `Unavailable` `SIGNING_KEY_UNSTORED`: try again. */
export async function putSigningKey(
  stores: Stores,
  kid: string,
  key: StoredSigningKey,
): Promise<void> {
  const put = {
    op: "put",
    key: keyOf(FAMILIES.signingKey, kid),
    expected: 0n,
    summary: encodeSigningKey(key),
  } as const;
  const attempt = { stopwatch: new Stopwatch(stores.clock) };
  const { verdict } = await putCertain(stores.pointers, stores, attempt, put);
  if (verdict === "committed") return;
  const message = "the signing key could not be stored: try again";
  throw new FirnError("Unavailable", "SIGNING_KEY_UNSTORED", message, { verdict });
}

/** Removes one whose last token has ended. One read, one write. */
export async function deleteSigningKey(stores: Stores, kid: string): Promise<void> {
  const item = await stores.pointers.get(keyOf(FAMILIES.signingKey, kid));
  if (item.state === "absent") return;
  const attempt = { stopwatch: new Stopwatch(stores.clock) };
  const op = { op: "delete", key: item.key, expected: item.version } as const;
  await putCertain(stores.pointers, stores, attempt, op);
}
