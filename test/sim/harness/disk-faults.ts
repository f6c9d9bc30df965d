import { FirnError } from "../../../src/base/error.ts";
import type { DiskCall } from "../../support/modelled-disk.ts";
import type { Place, StoreFault } from "./faults.ts";

type DiskSite = "disk read" | "disk names" | "disk write";

const READ: readonly StoreFault[] = ["refused", "stalled", "stalledBeyond"];
/** Of names: made or not, and whoever asked is not told which. */
const CHANGE: readonly StoreFault[] = [...READ, "full", "answerLost"];
/** Of bytes: besides, some may be on the disk and some not. */
const WRITE: readonly StoreFault[] = [...CHANGE, "torn"];

/** Every place of a disk at which faults strike. */
export const DISK_SITES: Readonly<Record<DiskSite, readonly StoreFault[]>> = {
  "disk read": READ,
  "disk names": CHANGE,
  "disk write": WRITE,
};

/** Which of them a call comes by. */
export function diskPlace({ method }: DiskCall): Place {
  const site = siteOf(method);
  return { site, faults: DISK_SITES[site] };
}

function siteOf(method: DiskCall["method"]): DiskSite {
  switch (method) {
    case "write":
      return "disk write";
    case "create":
    case "link":
    case "rename":
    case "remove":
    case "sync":
    case "prepare":
      return "disk names";
    default:
      return "disk read";
  }
}

/** What the disk says whose call failed. */
export function diskError(fault: StoreFault): FirnError {
  const code = fault === "full" ? "DISK_FULL" : "DISK_FAILED";
  return new FirnError("Unavailable", code, "no such luck", { fault });
}
