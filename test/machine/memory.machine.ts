import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("./heavy-work.ts", import.meta.url));

interface Ended {
  readonly signal: string | null;
  readonly lines: readonly unknown[];
  readonly stderr: string;
}

/** Runs a part of `heavy-work.ts` in a process of its own. */
function run(part: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, part], (_error, stdout, stderr) => {
      const lines = stdout.split("\n").filter((line) => line !== "");
      const { signalCode: signal } = child;
      resolve({ signal, lines: lines.map((line) => JSON.parse(line)), stderr });
    });
  });
}

describe("a thread that takes more memory than it may", () => {
  it("ends the process, where nothing but the platform's limit holds it", async () => {
    const { signal, lines, stderr } = await run("platform");
    // Where this fails, the platform has mended it, and threads need no headroom.
    expect({ signal, lines }).toEqual({ signal: "SIGABRT", lines: [] });
    expect(stderr).toContain("heap out of memory");
  });

  it("fails its task alone, whatever it allocates", async () => {
    const { signal, lines, stderr } = await run("tasks");
    const expected = ["hoard", "push", "map", "parse"].map((what) => ({
      what,
      came: "WORK_TOO_LARGE",
      next: "done",
    }));
    expect({ signal, lines, stderr }).toEqual({ signal: null, lines: expected, stderr: "" });
  });

  it("is refused a metadata file that needs more, and reads the next one", async () => {
    const { signal, lines, stderr } = await run("files");
    const expected = ["properties", "nested", "objects"].map((what) => ({
      what,
      came: "WORK_TOO_LARGE",
      next: "done",
    }));
    expect({ signal, lines, stderr }).toEqual({ signal: null, lines: expected, stderr: "" });
  });
});
