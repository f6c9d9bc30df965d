import { afterEach, describe, expect, test } from "vitest";
import { S3RequestSigner } from "../../src/blob/s3/request-signer.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { honorsUnsigned } from "../../src/runtime/signing-trial.ts";
import { type Handler, type Serving, serve } from "../double/server.ts";
import { BUCKET, FLAWS, REGION, SECRET, store } from "../support/tried-store.ts";

const open: Serving[] = [];
afterEach(async () => {
  for (const serving of open.splice(0)) await serving.close();
});

describe("the trial of a store before the server signs writes to it", () => {
  async function honors(handler: Handler): Promise<boolean> {
    const serving = await serve(handler);
    open.push(serving);
    const credentials = { accessKeyId: "key", secretAccessKey: SECRET };
    const where = { bucket: BUCKET, endpoint: serving.url, region: REGION, pathStyle: true };
    const signer = new S3RequestSigner({ ...where, credentials }, new SystemClock());
    try {
      return await honorsUnsigned(signer, BUCKET, "wh/.firn-probe");
    } finally {
      signer.close();
    }
  }

  test("finds each way in which it takes for signed what was not", async () => {
    const { handler } = store((sound) => sound.handler);
    expect(await honors(handler)).toBe(false);
    for (const name of Object.keys(FLAWS).filter((each) => !each.startsWith("looks"))) {
      const [flawed] = FLAWS[name] ?? [];
      expect([name, await honors(flawed?.handler ?? handler)]).toEqual([name, true]);
    }
  });
});
