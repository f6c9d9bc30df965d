import { describeBlobStore, type OpenedBlobStore } from "../../contract/describe-blob-store.ts";
import { openS3 } from "../../double/s3/open.ts";

/** Two adapters, as two nodes would have them, on one bucket behind the real SDK and TCP. */
async function opened(): Promise<OpenedBlobStore> {
  const s3 = await openS3();
  const prefix = "some/where/";
  return { store: s3.store({ prefix }), rivals: [s3.store({ prefix })], close: () => s3.close() };
}

describeBlobStore("a bucket", opened, { anyPath: true, raceRounds: 2 });
