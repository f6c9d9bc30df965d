import { afterEach, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { mintNodeId } from "../../src/runtime/node-identity.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { fromFields, readSettings, requireSettings } from "../../src/runtime/read-settings.ts";
import { openShardHandle } from "../../src/runtime/shard-handle.ts";
import { closeSites, NAME, openSite } from "../support/aws-site.ts";
import { firnLsm } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";
import { ask } from "./support.ts";

const SECRET = "the secret that all nodes of a test share";

afterEach(closeSites);

/** One command line, run in this process. */
function firn(...args: readonly string[]) {
  return firnLsm(args, { FIRN_LOG_LEVEL: "silent" });
}

it("a damaged shard of a bucket is repaired into another prefix, and served", async () => {
  await openSite();
  const dir = scratchDirectory();
  const place = { profile: "bucket" as const, dir, s3Bucket: NAME };
  const named = ["--profile", "bucket", "--s3-bucket", NAME, "--dir", dir];
  const open = (s3Prefix?: string) =>
    Firn.open({
      ...place,
      ...(s3Prefix !== undefined && { s3Prefix }),
      secret: SECRET,
      listen: { port: 0 },
      logLevel: "silent",
    });
  const first = await open();
  for (const name of ["a", "b"]) await ask(first, "POST", "/namespaces", { namespace: [name] });
  await first.close();

  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const settings = requireSettings(
    readSettings([fromFields({ ...place, secret: SECRET, logLevel: "silent" })], dir),
  );
  const parts = { clock, prng, nodeId: mintNodeId(prng), onDefect: () => {}, notify: () => {} };
  const { reading, close } = await openShardHandle(settings, "system", parts);
  const { store } = reading;
  const manifests = await store.list(`${reading.prefix}manifest/`);
  const newest = manifests.at(-1)?.path ?? "";
  const bytes = Buffer.from((await store.get(newest))?.bytes ?? []);
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  await store.put(newest, bytes);
  await close();

  expect((await firn("repair", ...named, "--into", "elsewhere")).errors).toContain(
    "REPAIR_TARGET_INVALID",
  );
  const repaired = await firn("repair", ...named, "--into", `s3://${NAME}/mended`);
  expect(repaired.errors).toBe("");
  expect(repaired.out).toContain("is used instead");
  expect(repaired.out).toContain(`--s3-bucket ${NAME} --s3-prefix mended`);
  const again = await firn("repair", ...named, "--into", `s3://${NAME}/mended`);
  expect(again.errors).toContain("LSM_REPAIR_TARGET_TAKEN");
  const second = await open("mended/");
  const listed = await ask(second, "GET", "/namespaces");
  expect(JSON.stringify(listed)).toContain('"a"');
  expect(JSON.stringify(listed)).toContain('"b"');
  await second.close();
});
