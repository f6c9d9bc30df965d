import type { S3Options } from "../../../src/blob/s3/options.ts";
import { S3BlobStore } from "../../../src/blob/s3/store.ts";
import type { S3Components } from "../../../src/blob/s3/wire.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { SystemPrng } from "../../../src/runtime/prng.ts";
import { awsTransport } from "../../support/aws-transport.ts";
import { type Service, type Serving, serve } from "../server.ts";
import { Bucket } from "./model.ts";
import { S3Service, type S3ServiceOptions } from "./service.ts";

export const BUCKET = "firn-test";
const CREDENTIALS = { accessKeyId: "test", secretAccessKey: "test" };

/** The double on a port, with one bucket, and adapters that reach it over TCP. */
export interface OpenedS3 {
  readonly service: S3Service;
  readonly bucket: Bucket;
  readonly serving: Serving;
  /** Another adapter of its own connections. */
  store(options?: Partial<S3Options>, components?: Partial<S3Components>): S3BlobStore;
  close(): Promise<void>;
}

/** @param network puts something between the service and its port; see `faulty`. */
export async function openS3(
  options: S3ServiceOptions = {},
  network: (service: S3Service) => Service | S3Service["handler"] = ({ handler }) => handler,
): Promise<OpenedS3> {
  const service = new S3Service(options);
  const bucket = new Bucket(service.region);
  service.model.buckets.set(BUCKET, bucket);
  const serving = await serve(network(service));
  const stores: S3BlobStore[] = [];
  return {
    service,
    bucket,
    serving,
    store: (more = {}, components = {}) => {
      const store = new S3BlobStore(
        {
          bucket: BUCKET,
          endpoint: serving.url,
          region: "us-east-1",
          credentials: CREDENTIALS,
          transport: awsTransport(),
          ...more,
        },
        { clock: new SystemClock(), prng: new SystemPrng(), ...components },
      );
      stores.push(store);
      return store;
    },
    close: async () => {
      for (const store of stores) store.close();
      await serving.close();
    },
  };
}
