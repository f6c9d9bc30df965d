import { afterEach, describe, expect, test } from "vitest";
import { S3Service } from "../double/s3/service.ts";
import { refusedSignature } from "../double/s3/signature.ts";
import { type Handler, type Serving, serve } from "../double/server.ts";
import { firnWith } from "../support/firn-process.ts";
import { ACCOUNTS, BUCKET, FLAWS, REGION, SECRET, store } from "../support/tried-store.ts";

const open: Serving[] = [];
afterEach(async () => {
  for (const serving of open.splice(0)) await serving.close();
});

interface Report {
  readonly location: string;
  readonly findings: readonly { readonly asked: string; readonly holds?: boolean }[];
  readonly readSigning: string;
  readonly writeSigning: string;
  readonly problems: readonly string[];
}

async function check(
  handler: Handler,
  args: readonly string[] = [`s3://${BUCKET}/wh`],
  more: Readonly<Record<string, string>> = {},
) {
  const serving = await serve(handler);
  open.push(serving);
  const env = {
    AWS_ENDPOINT_URL_S3: serving.url,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_EC2_METADATA_DISABLED: "true",
    ...more,
  };
  const done = await firnWith(env, "storage", "check", ...args);
  expect(done.out + done.errors).not.toContain(SECRET);
  return done;
}

async function reported(handler: Handler) {
  const { exitCode, out, errors } = await check(handler, [`s3://${BUCKET}/wh`, "--json"]);
  expect(errors).toBe("");
  const report = JSON.parse(out) as Report;
  const held = Object.fromEntries(report.findings.map(({ asked, holds }) => [asked, holds]));
  return { exitCode, held, report };
}

const SOUND = {
  conditionalWrites: true,
  signatures: true,
  unsignedHeaders: true,
  signedBodies: true,
  literalDots: true,
  literalSlashes: true,
  pathStyle: true,
};

describe("firn storage check", () => {
  test("finds a sound store safe, and leaves nothing in it", async () => {
    const { handler, model } = store((sound) => sound.handler);
    const { exitCode, held, report } = await reported(handler);
    expect({ exitCode, held }).toEqual({ exitCode: 0, held: SOUND });
    expect(report).toMatchObject({
      location: "s3://lake/wh",
      readSigning: "safe",
      writeSigning: "safe",
      problems: [],
    });
    expect(model.buckets.get(BUCKET)?.keys()).toEqual([]);
    const plain = await check(handler);
    expect(plain.exitCode).toBe(0);
    expect(plain.out).toMatch(/^s3:\/\/lake\/wh at http:.*\n {2}conditional writes +yes /);
    expect(plain.out).toMatch(/remote signing: reads safe, writes safe\n$/);
  });

  test.each(Object.entries(FLAWS))(
    "finds a store unsafe that %s",
    async (_, [flawed, lack, says]) => {
      const { handler, model } = flawed;
      const { exitCode, held, report } = await reported(handler);
      expect(exitCode).toBe(1);
      expect(held).toMatchObject(lack);
      expect(report).toMatchObject(says);
      expect(report.problems).toHaveLength(1);
      expect(model.buckets.get(BUCKET)?.keys()).toEqual([]);
    },
  );

  test("tells a store that resolves paths, which Firn signs none of", async () => {
    const { handler } = store((_sound, lax) => (request) => {
      const refused = refusedSignature(request, ACCOUNTS, REGION, Date.now());
      const { pathname } = new URL(request.path, "http://store");
      return refused ?? lax.handler({ ...request, path: pathname.replace(/\/+/g, "/") });
    });
    const { exitCode, held } = await reported(handler);
    expect(exitCode).toBe(0);
    expect(held).toEqual({ ...SOUND, literalDots: false, literalSlashes: false });
  });

  test("cannot tell of a store that it does not get into", async () => {
    const { handler } = store((sound) => sound.handler);
    const cases = [
      [[`s3://${BUCKET}/wh`], { AWS_SECRET_ACCESS_KEY: "wrong" }, "BUCKET_DENIED"],
      [["s3://absent/wh"], {}, "BUCKET_MISSING"],
      [["--profile", "memory"], {}, "NO_STORE_IN_S3"],
      [["/tmp/here"], {}, "s3://"],
    ] as const;
    for (const [args, env, says] of cases) {
      const { exitCode, out, errors } = await check(handler, args, env);
      expect([args, exitCode, out]).toEqual([args, 2, ""]);
      expect(errors).toContain(says);
    }
  });
});

describe("firn storage check over conditions", () => {
  const careless = () =>
    store((sound) => (request) => {
      const { "if-none-match": _, "if-match": __, ...headers } = request.headers;
      const refused = refusedSignature(request, ACCOUNTS, REGION, Date.now());
      return refused ?? new S3Service({ model: sound.model }).handler({ ...request, headers });
    });

  test("a catalog needs them, a warehouse does not", async () => {
    const { handler } = careless();
    const own = ["--profile", "bucket", "--s3-bucket", BUCKET];
    const catalog = await check(handler, [...own, "--json"]);
    const [first, second] = catalog.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Report);
    expect(catalog.exitCode).toBe(1);
    expect(first).toMatchObject({ location: "s3://lake/firn" });
    expect(first?.problems).toHaveLength(1);
    expect(second).toMatchObject({ location: "s3://lake/warehouse", problems: [] });
    expect((await check(handler)).exitCode).toBe(0);
  });
});
