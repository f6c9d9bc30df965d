import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../tidy/source.ts";

/** The worked example of a codec: the hex block in the comment that opens its file. */
export function exampleIn(path: string): Buffer {
  const text = readFileSync(join(ROOT, path), "utf8");
  const block = /```hex\n([\s\S]*?)```/.exec(text.slice(0, text.indexOf("*/")))?.[1] ?? "";
  return Buffer.from(block.replaceAll(/[^0-9a-f]/g, ""), "hex");
}
