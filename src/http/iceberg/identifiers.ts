import type { Page } from "../../service/requests.ts";

/** Names whose JSON is their own text between quotes, one byte a character. */
const PLAIN = /^[A-Za-z0-9._~-]*$/;
/** The most bytes of UTF-8 for one unit of a text. */
const MAX_UNIT_BYTES = 3;
/** Room for a name that is not counted in advance. */
const USUAL_NAME_BYTES = 24;

/**
 * The body that lists names of one namespace. A namespace may hold very many: the part that all of
 * them share is encoded once and copied, and so are most names, without a look at their JSON.
 */
export function printIdentifiers(
  namespace: readonly string[],
  { items, nextPageToken }: Page<string>,
): Uint8Array {
  const first = Buffer.from(`{"namespace":${JSON.stringify(namespace)},"name":"`);
  const next = Buffer.from(`"},${first.toString()}`);
  const open = Buffer.from('{"identifiers":[');
  const last = items.length === 0 ? "" : '"}';
  const close = Buffer.from(`${last}],"next-page-token":${JSON.stringify(nextPageToken)}}`);
  const room = open.length + items.length * (next.length + USUAL_NAME_BYTES) + close.length;
  let body = Buffer.allocUnsafe(room);
  let at = open.copy(body);
  let before = first;
  for (const name of items) {
    const plain = PLAIN.test(name);
    const text = plain ? name : JSON.stringify(name).slice(1, -1);
    const most = before.length + text.length * (plain ? 1 : MAX_UNIT_BYTES) + close.length;
    if (at + most > body.length) body = Buffer.concat([body], (at + most) * 2);
    body.set(before, at);
    at += before.length;
    at += body.write(text, at, plain ? "latin1" : "utf8");
    before = next;
  }
  at += close.copy(body, at);
  return body.subarray(0, at);
}
