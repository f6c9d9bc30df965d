import { readFileSync } from "node:fs";
import { errnoOf } from "./local-fault.ts";

/**
 * `{boot}-{pid}-{start}` of a process that runs on this machine, as far as this one can see; else
 * undefined. A process id alone is used again, at the latest after a reboot.
 */
export function identityOf(pid: number): string | undefined {
  const start = startOf(pid);
  return start === undefined ? undefined : `${bootId()}-${pid}-${start}`;
}

/** Whether the process that a name begins with, as `identityOf` gave it, runs still. */
export function isAlive(name: string): boolean {
  const [boot, pid, start] = name.split("-");
  return `${boot}-${pid}-${start}` === identityOf(Number(pid));
}

/** Ticks from boot to the start of a process; `0` where the system has no `/proc`. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the command in parentheses and may hold spaces; `starttime` is the 22nd.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has an entry still, but will never release anything.
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return bootId() === NO_PROC && signalReaches(pid) ? "0" : undefined;
  }
}

function signalReaches(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

const NO_PROC = "0";

/** Names this boot of the machine; `0` where the system has no `/proc`. */
export function bootId(): string {
  try {
    const id = readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
    return id.replaceAll("-", "").slice(0, 32);
  } catch {
    return NO_PROC;
  }
}
