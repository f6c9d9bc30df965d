import { type Signal, signal } from "@preact/signals";
import type { Me } from "../api/status-operations.ts";
import { FirnClient } from "../client/client.ts";

/** The principal that is signed in; absent before that, and where the server asks for none. */
export const who: Signal<Me | undefined> = signal(undefined);

/** The server refused a request for want of a valid credential. */
export const mustSignIn: Signal<boolean> = signal(false);

/** The server has answered a request without a key. */
export const isOpenToAll: Signal<boolean> = signal(false);

/** In memory alone: no other page, nor the next one in this tab, can read it. */
let key: string | undefined;

function withKey(request: Request, used: string | undefined): Promise<Response> {
  if (used !== undefined) request.headers.set("Authorization", `Bearer ${used}`);
  return fetch(request);
}

/** Sends a request with the key of the principal that is signed in. */
export async function send(request: Request): Promise<Response> {
  const used = key;
  const response = await withKey(request, used);
  // A late answer to the key of a session that has ended says nothing about this one.
  if (response.status === 401 && used === key) signOut();
  else if (used === undefined) isOpenToAll.value = response.status !== 401;
  return response;
}

/** @throws ApiError where the key is refused; what `fetch` throws. */
export async function signIn(text: string): Promise<void> {
  const given = text.trim();
  const asking = new FirnClient({
    url: location.origin,
    fetch: (request) => withKey(request, given),
  });
  const me = await asking.call("getMe", {});
  key = given;
  who.value = me;
  mustSignIn.value = false;
}

export function signOut(): void {
  key = undefined;
  isOpenToAll.value = false;
  who.value = undefined;
  mustSignIn.value = true;
}
