import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { sha256Hex } from "../../src/base/hash.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { LocalBlobStore, type LocalBlobStoreOptions } from "../../src/blob/local.ts";
import { faultOf } from "../../src/blob/local-fault.ts";
import { DirectoryLocks } from "../../src/blob/local-lock.ts";
import { decodeTrailer, encodeTrailer } from "../../src/blob/local-trailer.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { pathsOf, textOf } from "../contract/blob-store-checks.ts";
import { raceChecks } from "../contract/blob-store-races.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { openLimited, openRemote, type RemoteStore } from "./remote-store.ts";

const made: string[] = [];
const remotes: RemoteStore[] = [];
let root: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "firn-local-"));
  made.push(folder);
  root = join(folder, "store");
});
afterEach(async () => {
  for (const remote of remotes.splice(0)) await remote.kill();
});
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function open(options: Partial<LocalBlobStoreOptions> = {}): LocalBlobStore {
  return new LocalBlobStore(root, {
    clock: new SystemClock(),
    prng: new SeededPrng(1),
    durable: false,
    ...options,
  });
}

function remote(store: RemoteStore): RemoteStore {
  remotes.push(store);
  return store;
}

/** Every file below the root, the store's own included. */
function files(): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

describe("two processes on one directory", () => {
  const rivals = () => remotes;
  for (const [name, check] of Object.entries(raceChecks({ raceRounds: 100 }, rivals))) {
    it(name, async () => {
      remote(openRemote(root));
      await check(open());
      expect(files().filter((file) => file.startsWith(".firn-"))).toEqual([]);
    });
  }
});

describe("two processes that begin at the same moment", () => {
  it("create a blob once", async () => {
    const rounds = 250;
    const markers = join(root, "..", "markers");
    mkdirSync(markers);
    const [a, b] = [remote(openRemote(root)), remote(openRemote(root))];
    const won = await Promise.all([
      a.race(markers, "a", "b", rounds),
      b.race(markers, "b", "a", rounds),
    ]);
    // Together each round once: none twice, none lost.
    const all = won.flat().sort((x, y) => x - y);
    expect(all).toEqual(Array.from({ length: rounds }, (_, round) => round));
    const store = open();
    for (const [i, winner] of ["a", "b"].entries()) {
      for (const round of won[i] ?? []) expect(await textOf(store, `race/${round}`)).toBe(winner);
    }
  });
});

describe("a process that dies", () => {
  it("keeps its lock while it lives and loses it with its life", async () => {
    mkdirSync(root);
    const other = remote(openRemote(root));
    await other.hold();
    const clock = new VirtualClock();
    const locks = new DirectoryLocks(clock, new SeededPrng(1));
    const waiting = locks.run(root, async () => undefined);
    await expect(clock.run(waiting)).rejects.toMatchObject({ code: "BLOB_LOCK_TIMEOUT" });
    expect(readdirSync(root)).toHaveLength(1);
    await other.kill();
    expect(readdirSync(root)).toHaveLength(1);
    expect(await locks.run(root, async () => "mine")).toBe("mine");
    expect(readdirSync(root)).toEqual([]);
  });

  it("leaves whole blobs, all that it acknowledged, and no lock that holds", async () => {
    const other = remote(openRemote(root, true));
    const acknowledged = new Set<string>();
    let enough = () => {};
    const some = new Promise<void>((resolve) => {
      enough = resolve;
    });
    for (let i = 0; i < 200; i++) {
      const path = `d${i % 4}/b${i}`;
      const put = i % 2 === 0 ? other.put(path, contentOf(path)) : undefined;
      (put ?? other.put(path, contentOf(path), "absent")).then(
        () => {
          acknowledged.add(path);
          if (acknowledged.size === 20) enough();
        },
        () => undefined,
      );
    }
    await some;
    await other.kill();

    const store = open();
    const found = await pathsOf(store);
    for (const path of acknowledged) expect(found).toContain(path);
    for (const path of found) {
      const blob = await store.get(path);
      expect(Buffer.from(blob!.bytes)).toEqual(Buffer.from(contentOf(path)));
    }
    for (const path of found) await store.put(path, utf8("anew"));
    await store.deleteMany(found);
    expect(await pathsOf(store)).toEqual([]);
    expect(files().filter((file) => file.startsWith(".firn-lock-"))).toEqual([]);
  });

  it("leaves half a write, which the next one there removes; a rival's stays", async () => {
    const [dies, lives] = [remote(openRemote(root)), remote(openRemote(root))];
    for (const path of ["x", "d/x", "d/e/x"])
      await Promise.all([dies.stage(path), lives.stage(path)]);
    const halves = () => files().filter((file) => file.startsWith(".firn-tmp-"));
    expect(halves()).toHaveLength(6);
    await dies.kill();
    const store = open();
    expect(await pathsOf(store)).toEqual([]);
    await store.put("d/e/y", utf8("y"));
    const left = halves();
    expect(left).toHaveLength(3);
    for (const name of left) expect(name.split("-")).toContain(`${lives.child.pid}`);
    await lives.kill();
    await open().put("d/e/y", utf8("z"));
    expect(halves()).toEqual([]);
  });

  it("is unknown after a reboot or on another host: its half stays a day", async () => {
    mkdirSync(join(root, "d"), { recursive: true });
    const names = ["1-1", "0123456789abcdef0123456789abcdef-1-77-0"];
    const clock = new VirtualClock();
    for (const name of names) {
      const file = join(root, "d", `.firn-tmp-${name}`);
      writeFileSync(file, "left over");
      utimesSync(file, clock.nowMs() / 1_000, clock.nowMs() / 1_000);
    }
    await open({ clock }).put("d/x", utf8("x"));
    expect(files()).toHaveLength(3);
    clock.advance(86_400_001);
    await open({ clock }).put("d/x", utf8("x"));
    expect(files()).toEqual(["x.blob"]);
  });

  function contentOf(path: string): Uint8Array {
    return Buffer.alloc(100_000, path);
  }
});

describe("a disk that refuses", () => {
  it("leaves what was there, and no trace of what was refused", async () => {
    const limited = remote(openLimited(root, 100));
    await limited.put("kept", utf8("small"));
    const refused = { kind: "Unavailable", code: "DISK_FULL" };
    const big = new Uint8Array(200_000);
    await expect(limited.put("kept", big)).rejects.toEqual(refused);
    await expect(limited.put("new", big, "absent")).rejects.toEqual(refused);
    const store = open();
    expect(await pathsOf(store)).toEqual(["kept"]);
    expect(await textOf(store, "kept")).toBe("small");
    expect(files()).toHaveLength(1);
  });

  it.each([true, false])("keeps nothing of a new file; durable: %s", async (durable) => {
    const limited = remote(openLimited(root, 100, durable));
    const piece = new Uint8Array(30_000);
    expect(await limited.create("d/small", [piece])).toBe(true);
    const refused = { kind: "Unavailable", code: "DISK_FULL" };
    // Written at once, and through the pool.
    for (const count of [2, 10]) {
      const pieces = Array.from({ length: count }, () => piece);
      await expect(limited.create("d/large", pieces)).rejects.toEqual(refused);
      expect(await pathsOf(open())).toEqual(["d/small"]);
      expect(files()).toHaveLength(1);
    }
  });

  it("is unavailable where it may not be written, which no request can mend", async () => {
    const store = new LocalBlobStore("/proc/firn", {
      clock: new SystemClock(),
      prng: new SeededPrng(1),
    });
    await expect(store.put("a", utf8("x"))).rejects.toMatchObject({ kind: "Unavailable" });
    expect(await store.get("a")).toBeUndefined();
    expect(await store.list("")).toEqual([]);
  });

  it.each(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "EIO"])(
    "reports %s as unavailable, or as unknown after a possible write",
    (code) => {
      const error = Object.assign(new Error(code), { code, syscall: "write" });
      expect(faultOf(error, "a", "nothing")).toMatchObject({
        kind: "Unavailable",
        context: { errno: code },
      });
      expect(faultOf(error, "a", "maybe")).toMatchObject({ kind: "Unknown" });
    },
  );

  it("passes the caller's own failures on as they are", () => {
    const own = new TypeError("own");
    expect(faultOf(own, "a", "nothing")).toBe(own);
  });
});

describe("files that others put there", () => {
  it("are not blobs when they are pipes, links, directories or the store's own", async () => {
    const store = open({ layout: "exact" });
    await store.put("d/blob", utf8("x"));
    mkdirSync(join(root, "d", "sub"));
    symlinkSync(join(root, "d", "blob"), join(root, "d", "link"));
    symlinkSync(root, join(root, "d", "up"));
    writeFileSync(join(root, "d", ".firn-tmp-1-1"), "left over");
    expect(await pathsOf(store)).toEqual(["d/blob"]);
    expect(await store.get("d/sub")).toBeUndefined();
    expect(await store.head("d/sub")).toBeUndefined();
    for (const path of ["d/link", "d/up/d/blob"]) {
      await expect(store.get(path)).rejects.toMatchObject({ code: "BLOB_PATH_UNSUPPORTED" });
    }
    await expect(store.put("d/up/x", utf8("x"))).rejects.toMatchObject({ kind: "Invalid" });
    await expect(store.list("d/up/")).rejects.toMatchObject({ kind: "Invalid" });
  });

  it.each(["d", "d/sub"])(
    "are not written through once a link took the place of %s",
    async (at) => {
      const store = open({ layout: "exact" });
      await store.put("d/sub/before", utf8("x"));
      const elsewhere = join(root, "..", "elsewhere");
      cpSync(join(root, at), elsewhere, { recursive: true });
      rmSync(join(root, at), { recursive: true });
      symlinkSync(elsewhere, join(root, at));
      const refused = { kind: "Invalid", code: "BLOB_PATH_UNSUPPORTED" };
      await expect(store.put("d/sub/after", utf8("x"))).rejects.toMatchObject(refused);
      await expect(store.create("d/sub/after", [utf8("x")])).rejects.toMatchObject(refused);
      const left = readdirSync(elsewhere, { recursive: true, encoding: "utf8" });
      expect(left.filter((name) => !name.endsWith("before"))).toEqual(at === "d" ? ["sub"] : []);
    },
  );

  it("make a delete of many that fails midway unknown, not undone", async () => {
    const store = open({ layout: "exact" });
    await store.put("a/x", utf8("x"));
    await store.put("b/x", utf8("x"));
    symlinkSync(join(root, "b"), join(root, "c"));
    await expect(store.deleteMany(["a/x", "c/x"])).rejects.toMatchObject({ kind: "Unknown" });
    await expect(store.deleteMany(["c/x", "b/x"])).rejects.toMatchObject({ kind: "Invalid" });
    expect(await pathsOf(store)).toEqual(["b/x"]);
  });

  it("neither hang nor fail a reader that opens a pipe or a socket", async () => {
    const store = open({ layout: "exact" });
    await store.put("a", utf8("x"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
    const server = createServer().listen(join(root, "socket"));
    await once(server, "listening");
    for (const path of ["pipe", "socket"]) {
      expect(await store.get(path)).toBeUndefined();
      expect(await store.exists(path)).toBe(false);
      expect(store.watch(path)()).toBe(false);
    }
    expect(await pathsOf(store)).toEqual(["a"]);
    server.close();
  });

  it("follows links above the root, which is whoever started us to choose", async () => {
    const real = join(root, "..", "real");
    mkdirSync(real);
    symlinkSync(real, root);
    const store = open({ layout: "exact" });
    await store.put("d/a", utf8("x"));
    expect(readFileSync(join(real, "d", "a"), "utf8")).toBe("x");
    expect(await textOf(store, "d/a")).toBe("x");
  });
});

describe("files that others replace or enlarge", () => {
  it("bound what a get may load", async () => {
    const store = open({ layout: "exact", maxGetBytes: 10 });
    await store.put("a", new Uint8Array(11));
    await expect(store.get("a")).rejects.toMatchObject({ code: "BLOB_TOO_LARGE" });
    expect((await store.getRange("a", 0, 11))?.bytes).toHaveLength(11);
  });

  it.each([true, false])(
    "make room again when a directory vanished under the store; durable: %s",
    async (durable) => {
      const store = open({ durable });
      await store.put("a/b/c", utf8("1"));
      rmSync(root, { recursive: true });
      await store.put("a/b/d", utf8("2"), "absent");
      expect(await pathsOf(store)).toEqual(["a/b/d"]);
      rmSync(root, { recursive: true });
      expect(await store.create("a/b/e", [utf8("3")])).toBe(true);
      expect(await pathsOf(store)).toEqual(["a/b/e"]);
    },
  );

  it.each([true, false])(
    "hold a new file once, in all its pieces; durable: %s",
    async (durable) => {
      const store = open({ durable, layout: "exact" });
      const pieces = ["one", "", " and ", "two"].map(utf8);
      expect(await store.create("a/b", pieces)).toBe(true);
      expect(await store.create("a/b", [utf8("other")])).toBe(false);
      expect(await textOf(store, "a/b")).toBe("one and two");
      await expect(store.create("a", pieces)).rejects.toMatchObject({
        code: "BLOB_PATH_UNSUPPORTED",
      });
      const large = Array.from({ length: 2_000 }, (_, i) => utf8(`${i},`.padStart(100, "0")));
      expect(await store.create("large", large)).toBe(true);
      expect(readFileSync(join(root, "large")).equals(Buffer.concat(large))).toBe(true);
      expect(files()).toHaveLength(2);
    },
  );

  it("are not said to hold what was written while their directory was taken away", async () => {
    const store = open({ durable: true });
    const vanishing = async function* (path: string) {
      yield utf8("x");
      rmSync(join(root, path), { recursive: true });
    };
    for (const path of ["a", "a/b"]) {
      await store.put("a/b/c", utf8("1"));
      await expect(store.putStream("a/b/d", vanishing(path))).rejects.toMatchObject({
        kind: "Unavailable",
        code: "BLOB_STORE_UNAVAILABLE",
      });
    }
  });
});

describe("payload files", () => {
  it("are what their format says", async () => {
    const source = readFileSync(
      new URL("../../src/blob/local-trailer.ts", import.meta.url),
      "utf8",
    );
    const example = source.slice(source.indexOf("Example:"), source.indexOf("*/"));
    const hex = [...example.matchAll(/^ \* {3}([0-9a-f ]+)$/gm)].map((line) => line[1]).join("");
    const store = open();
    await store.put("a/b", utf8("ice"));
    const file = readFileSync(join(root, "a", "b.blob"));
    expect(file.toString("hex")).toBe(hex.replaceAll(" ", ""));
  });

  it("are seen to be damaged, whichever byte changed or is gone", async () => {
    const store = open();
    const text = "some content";
    await store.put("a", utf8(text));
    const file = join(root, "a.blob");
    const whole = readFileSync(file);
    const corrupt = { kind: "Corrupt", code: "BLOB_CORRUPT" };
    for (let i = 0; i < whole.length; i++) {
      const damaged = Buffer.from(whole);
      damaged[i] = (damaged[i] ?? 0) ^ 0x20;
      writeFileSync(file, damaged);
      await expect(store.get("a"), `byte ${i}`).rejects.toMatchObject(corrupt);
      writeFileSync(file, whole.subarray(0, i));
      await expect(store.get("a"), `cut at ${i}`).rejects.toMatchObject(corrupt);
    }
    writeFileSync(join(root, "b.blob"), whole);
    await expect(store.get("b")).rejects.toMatchObject(corrupt);
  });

  it("that are damaged hide no others, nor themselves", async () => {
    const store = open();
    const long = "l".repeat(300);
    for (const path of ["a", "b", "c", `${long}/x`, `${long}/y`]) await store.put(path, utf8(path));
    writeFileSync(join(root, "b.blob"), "no trailer");
    expect(await pathsOf(store)).toEqual(["a", "b", "c", `${long}/x`, `${long}/y`]);
    const etag = (await store.list("b"))[0]?.etag ?? "none";
    await expect(store.put("b", utf8("b"), { etag })).rejects.toMatchObject({ kind: "Corrupt" });
    await store.put("b", utf8("b"));
    expect(await textOf(store, "b")).toBe("b");
    // One whose name is a hash has its path in its trailer alone.
    await store.put(long, utf8("x"));
    const hashed = readdirSync(root).find((name) => /^~.*\.blob$/.test(name)) ?? "";
    writeFileSync(join(root, hashed), "no trailer");
    await expect(store.list("")).rejects.toMatchObject({ kind: "Corrupt" });
  });

  it("have a trailer that decodes to what was encoded, or is refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.nat(1_000), (path, size) => {
        const etag = sha256Hex(path);
        const trailer = encodeTrailer(path, etag);
        const decoded = decodeTrailer(trailer, size + trailer.length);
        expect(decoded).toEqual({ contentBytes: size, etag, path });
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const noise = Buffer.concat([bytes, utf8("FIRNB1")]);
        try {
          expect(decodeTrailer(noise, noise.length).contentBytes).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(error).toMatchObject({ kind: "Corrupt" });
        }
      }),
    );
  });
});

describe("the lock of a directory", () => {
  it("is given up on when its holder lives and does not let go", async () => {
    mkdirSync(root);
    const clock = new VirtualClock();
    const holder = new DirectoryLocks(clock, new SeededPrng(1));
    const waiter = new DirectoryLocks(clock, new SeededPrng(2));
    let release = () => {};
    const held = holder.run(root, () => new Promise<void>((resolve) => (release = resolve)));
    let ran = false;
    const waiting = waiter.run(root, async () => {
      ran = true;
    });
    await expect(clock.run(waiting)).rejects.toMatchObject({
      kind: "Unavailable",
      code: "BLOB_LOCK_TIMEOUT",
    });
    expect(ran).toBe(false);
    release();
    await held;
    await waiter.run(root, async () => {
      ran = true;
    });
    expect(ran).toBe(true);
    expect(readdirSync(root)).toEqual([]);
  });

  it("is free again once a disk lets go that did not while it was held", async () => {
    mkdirSync(root);
    const clock = new VirtualClock();
    const locks = new DirectoryLocks(clock, new SeededPrng(1));
    const away = `${root}-away`;
    await locks.run(root, async () => {
      renameSync(root, away);
      writeFileSync(root, "nothing can be removed from a file");
    });
    rmSync(root);
    renameSync(away, root);
    expect(readdirSync(root)).toHaveLength(1);
    expect(await clock.run(locks.run(root, async () => "mine"))).toBe("mine");
    expect(readdirSync(root)).toEqual([]);
  });

  it("is let go of when what it guards fails", async () => {
    mkdirSync(root);
    const locks = new DirectoryLocks(new VirtualClock(), new SeededPrng(1));
    const failing = locks.run(root, async () => Promise.reject(new Error("inside")));
    await expect(failing).rejects.toThrow();
    await locks.run(root, async () => undefined);
    expect(existsSync(root) && readdirSync(root)).toEqual([]);
  });
});
