import { afterEach, describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { pathsOf } from "../../contract/blob-store-checks.ts";
import { type OpenedS3, openS3 } from "../../double/s3/open.ts";
import type { Handler } from "../../double/server.ts";

let s3: OpenedS3;
afterEach(() => s3.close());

const PATHS = ["a", "b", "c", "d", "e"];

/** A bucket of five keys that answers lists as `altered` has it. */
async function open(altered: (handler: Handler) => Handler): Promise<void> {
  s3 = await openS3({ maxListed: 2 }, ({ handler }) => {
    const list = altered(handler);
    return (request) => (request.query["list-type"] === "2" ? list : handler)(request);
  });
  const store = s3.store();
  for (const path of PATHS) await store.put(path, utf8(path));
}

function edited(body: Uint8Array, edit: (text: string) => string): Uint8Array {
  return utf8(edit(utf8Text(body)));
}

const CONTENTS = /<Contents>.*?<\/Contents>/g;
const TOKEN = /<NextContinuationToken>.*<\/NextContinuationToken>/;

describe("a list", () => {
  it("goes on behind pages that hold nothing, as of many versions that were deleted", async () => {
    // Each page comes once empty, with a token that leads to what it would have held.
    const emptied = new Set<string>();
    await open((handler) => (request) => {
      const { "continuation-token": token = "", "start-after": after = "" } = request.query;
      const from = token === "" ? Buffer.from(after).toString("base64url") : token;
      const response = handler(request);
      if (emptied.has(from)) return response;
      emptied.add(from);
      const next = `<NextContinuationToken>${from}</NextContinuationToken>`;
      const body = edited(response.body, (text) =>
        text
          .replaceAll(CONTENTS, "")
          .replace(TOKEN, "")
          .replace(/<IsTruncated>\w+</, `${from === "" ? "" : next}<IsTruncated>true<`),
      );
      // Nothing leads to the beginning.
      return from === "" ? response : { ...response, body };
    });
    const store = s3.store();
    expect(await pathsOf(store)).toEqual(PATHS);
    expect(await store.list("", { after: "b" })).toHaveLength(3);
    expect(emptied.size).toBeGreaterThan(2);
  });

  it.each([
    ["tells no way on", (text: string) => text.replaceAll(CONTENTS, "").replace(TOKEN, "")],
    ["goes round in empty pages", (text: string) => text.replaceAll(CONTENTS, "")],
  ])("is refused where the store %s", async (_what, edit) => {
    await open((handler) => (request) => {
      const { "continuation-token": _token, ...query } = request.query;
      const response = handler({ ...request, query });
      return { ...response, body: edited(response.body, edit) };
    });
    await expect(s3.store().list("")).rejects.toMatchObject({
      kind: "Unavailable",
      code: "BLOB_STORE_REFUSED",
    });
  });

  it("is refused where the store takes no notice of where to begin", async () => {
    await open((handler) => (request) => {
      const { "start-after": _after, ...query } = request.query;
      return handler({ ...request, query });
    });
    const store = s3.store();
    await expect(store.list("")).rejects.toMatchObject({ code: "BLOB_STORE_REFUSED" });
    expect(await store.list("", { limit: 2 })).toHaveLength(2);
  });
});
