import { expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { MeteredBlobStore } from "../../src/blob/metered.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

async function* source(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield utf8(text);
}

it("counts requests by kind and outcome, the bytes each way, and their time", async () => {
  const clock = new VirtualClock();
  const metrics = createMetrics();
  const slow = new (class extends MemoryBlobStore {
    override async head(path: string) {
      clock.skip(30);
      return super.head(path);
    }
  })(clock);
  const store = new MeteredBlobStore(slow, { clock, metrics });
  await store.put("a", utf8("12345"), "absent");
  await store.put("a", utf8("123"), "absent");
  await store.putStream("b", source("12", "3456"));
  await store.get("a");
  await store.get("none");
  await store.getRange("a", 1, 2);
  await store.getSuffix("b", 3);
  await store.head("a");
  await store.list("");
  await store.delete("a");
  await store.deleteMany(["b"]);
  await expect(store.get("../x")).rejects.toMatchObject({ kind: "Invalid" });

  const values = (name: string) =>
    metrics.samples(name).map(({ labels, value }) => [...Object.values(labels), value]);
  expect(values("firn_blob_requests_total")).toEqual([
    ["put", "ok", 1],
    ["put", "condition", 1],
    ["putStream", "ok", 1],
    ["get", "ok", 1],
    ["get", "absent", 1],
    ["getRange", "ok", 1],
    ["getSuffix", "ok", 1],
    ["head", "ok", 1],
    ["list", "ok", 1],
    ["delete", "ok", 1],
    ["deleteMany", "ok", 1],
    ["get", "failed", 1],
  ]);
  expect(values("firn_blob_bytes_total")).toEqual([
    ["written", 14],
    ["read", 10],
  ]);
  const latency = metrics.samples("firn_blob_request_seconds");
  const sum = latency.find(({ labels, name }) => labels["kind"] === "head" && /_sum$/.test(name));
  expect(sum?.value).toBeCloseTo(0.03);
});
