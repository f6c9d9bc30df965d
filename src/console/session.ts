import { type Signal, signal } from "@preact/signals";
import type { Me } from "../api/status-operations.ts";
import { FirnClient } from "../client/client.ts";

/** The principal that is signed in; absent before that, and where the server asks for none. */
export const who: Signal<Me | undefined> = signal(undefined);

/** The server refused a request for want of a valid credential. */
export const mustSignIn: Signal<boolean> = signal(false);

/** The server has answered a request without a key. */
export const isOpenToAll: Signal<boolean> = signal(false);

/** A cookie that no script can read proves who asks: the server says so. */
let hasSession = false;

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
  if (response.status === 401 && used === key) forget();
  else if (used === undefined) heardOf(response);
  return response;
}

/** An answer to a request without a key. */
function heardOf({ status, headers }: Response): void {
  const isKnown = headers.has("Firn-Session");
  isOpenToAll.value = status !== 401 && !isKnown;
  if (!isKnown || hasSession || status === 401) return;
  hasSession = true;
  void new FirnClient({ url: location.origin }).call("getMe", {}).then(
    (me) => {
      if (hasSession) who.value = me;
    },
    () => {
      hasSession = false;
    },
  );
}

/** The provider that signs users in; null: there is none. @throws what `fetch` throws. */
export async function provider(): Promise<string | null> {
  const response = await fetch("/console/session");
  return response.ok ? ((await response.json()) as { provider: string | null }).provider : null;
}

/** Where the browser goes to sign in at the provider; it comes back to this page. */
export function providerUrl(): string {
  const to = `${location.pathname}${location.search}`;
  return `/console/session/start?to=${encodeURIComponent(to)}`;
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

/** Also ends the session at the server. @throws what `fetch` throws. */
export async function signOut(): Promise<void> {
  if (hasSession) await fetch("/console/session/end", { method: "POST" });
  forget();
}

function forget(): void {
  hasSession = false;
  key = undefined;
  isOpenToAll.value = false;
  who.value = undefined;
  mustSignIn.value = true;
}
