import { unfit } from "../errors.ts";
import type { Element } from "./element.ts";

/*
 * UUIDs: their 16 bytes. Those of version 7 sort by the time that made them.
 *
 *   type  value                                 bytes
 *   uuid  01890a5d-ac96-774b-bcce-b302099a8057  01890a5dac96774bbcceb302099a8057
 */

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const BYTES = 16;

export const uuid: Element<string> = {
  write(out, value) {
    if (typeof value !== "string" || !CANONICAL.test(value)) {
      throw unfit("uuid", "32 hexadecimal digits in five groups", value);
    }
    const at = out.extend(BYTES);
    out.bytes.write(value.replaceAll("-", ""), at, "hex");
  },
  read(input) {
    const hex = Buffer.from(input.view(BYTES)).toString("hex");
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      hex.slice(12, 16),
      hex.slice(16, 20),
      hex.slice(20),
    ].join("-");
  },
};
