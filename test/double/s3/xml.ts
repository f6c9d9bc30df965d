import { utf8 } from "../../../src/base/bytes.ts";
import type { Response } from "../server.ts";

/** Element content: a text, or elements in order. */
export type Content = string | readonly Element[];
export type Element = readonly [name: string, content: Content];

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

/** A 200 (unless told otherwise) with one XML document. */
export function xml(root: string, content: Content, status = 200): Response {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${render([root, content], NAMESPACE)}`;
  return { status, headers: { "content-type": "application/xml" }, body: utf8(text) };
}

/** An error as the service words it; an answer to HEAD has no body and so the status alone. */
export function failure(
  status: number,
  code: string,
  facts: Record<string, string> = {},
): Response {
  const content: Element[] = [
    ["Code", code],
    ["Message", code],
    ...Object.entries(facts),
    ["RequestId", "0000000000000000"],
  ];
  const response = xml("Error", content, status);
  return { ...response, headers: { ...response.headers, "x-amz-request-id": "0000000000000000" } };
}

export function empty(status: number, headers: Record<string, string> = {}): Response {
  return { status, headers, body: new Uint8Array(0) };
}

/** Contents of every element of that name that holds text alone, unescaped, in order. */
export function textsOf(document: string, name: string): string[] {
  const pattern = new RegExp(`<${name}>([^<]*)</${name}>`, "g");
  return [...document.matchAll(pattern)].map(([, text = ""]) => unescapeXml(text));
}

/** The inside of every element of that name, in order. */
export function insidesOf(document: string, name: string): string[] {
  const pattern = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, "g");
  return [...document.matchAll(pattern)].map(([, inside = ""]) => inside);
}

function render([name, content]: Element, namespace?: string): string {
  const open = namespace === undefined ? `<${name}>` : `<${name} xmlns="${namespace}">`;
  const inside = typeof content === "string" ? escapeXml(content) : content.map((e) => render(e));
  return `${open}${typeof inside === "string" ? inside : inside.join("")}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"\r\n]/g, (c) => `&#${c.charCodeAt(0)};`);
}

const NAMED: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return NAMED[name] ?? all;
  });
}
