import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import { isLoopbackHost } from "../base/loopback.ts";
import type { Owner } from "../lsm/index.ts";

/** An owner whose event loop stands still for longer than this, three times in a row, is gone. */
const TIMEOUT_MS = 1_000;
/** What a node says of itself is far shorter. */
const MAX_BYTES = 10_000;

/**
 * Whether an owner answers at its URL, under its own node id: another one's means that it is gone
 * and that another process has its address. One request.
 *
 * @param sharesLoopback whether the owner's loopback addresses are this process's own; where they
 *   are not, asking such a URL would be asking oneself, and the owner counts as there.
 */
export async function answersAt(
  { url, node }: Pick<Owner, "url" | "node">,
  sharesLoopback: boolean,
): Promise<boolean> {
  const { protocol, hostname } = new URL(url);
  if (!sharesLoopback && isLoopbackHost(hostname)) return true;
  return (await nodeAt(`${url}/livez`, protocol === "https:" ? getSecure : getPlain)) === node;
}

/** The node id that a URL answers; undefined without an answer, or with any other one. */
function nodeAt(url: string, get: typeof getPlain): Promise<string | undefined> {
  return new Promise((resolve) => {
    const none = (): void => resolve(undefined);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // Nothing secret is sent, and the node id says who answers: a certificate that this process
    // does not trust must not make a living owner look gone.
    const options = { agent: false, signal, rejectUnauthorized: false };
    const request = get(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > MAX_BYTES) request.destroy();
      });
      response.on("end", () => resolve(nodeIn(text)));
      response.on("error", none);
      response.on("close", none);
    });
    request.on("error", none);
  });
}

function nodeIn(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    const found = typeof parsed === "object" && parsed !== null && "node" in parsed;
    return found && typeof parsed.node === "string" ? parsed.node : undefined;
  } catch {
    return undefined;
  }
}
