import fc from "fast-check";

/** Bytes that are not a proper HTTP request, or are one that strains what HTTP allows. */
export interface Broken {
  readonly what: string;
  readonly text: string;
  /** Nothing more comes after them: the sender ends its side. */
  readonly ends: boolean;
}

const JSON_TYPE = "Content-Type: application/json";
const HOST = "Host: localhost";

function lines(...parts: readonly string[]): string {
  return `${parts.join("\r\n")}\r\n\r\n`;
}

function posted(...headers: readonly string[]): string {
  return lines("POST /iceberg/v1/namespaces HTTP/1.1", HOST, JSON_TYPE, ...headers);
}

const CHUNKED = "Transfer-Encoding: chunked";

/** By what is wrong with them. All are closed by the server, or by their sender. */
const SAMPLES: Readonly<Record<string, string>> = {
  "a tls hello": "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
  "http/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "http/0.9": "GET /iceberg/v1/config\r\n\r\n",
  "http/3.0": lines("GET /iceberg/v1/config HTTP/3.0", HOST),
  "no version": lines("GET /iceberg/v1/config", HOST),
  "a method of nobody": lines("BREW /iceberg/v1/config HTTP/1.1", HOST),
  "a method in small letters": lines("get /iceberg/v1/config HTTP/1.1", HOST),
  "a space in the target": lines("GET /iceberg/v1/con fig HTTP/1.1", HOST),
  "a nul in the target": lines("GET /iceberg/v1/\u0000 HTTP/1.1", HOST),
  "a bare line feed": "GET /livez HTTP/1.1\nHost: localhost\n\n",
  "no host": lines("GET /iceberg/v1/config HTTP/1.1", "Connection: close"),
  "two hosts": lines("GET /iceberg/v1/config HTTP/1.1", HOST, "Host: x", "Connection: close"),
  "a foreign host": lines("GET /iceberg/v1/config HTTP/1.1", "Host: a.test", "Connection: close"),
  "a header without colon": lines("GET / HTTP/1.1", HOST, "bad header"),
  "a folded header": lines("GET / HTTP/1.1", HOST, "X: a", " b", "Connection: close"),
  "a nul in a header": lines("GET / HTTP/1.1", HOST, "X: \u0000"),
  "a long header": lines("GET / HTTP/1.1", HOST, `X: ${"x".repeat(70_000)}`),
  "many headers": lines(
    "GET /livez HTTP/1.1",
    HOST,
    "Connection: close",
    ...Array.from({ length: 3_000 }, (_, i) => `X-${i}: ${i}`),
  ),
  "a long target": lines(`GET /iceberg/v1/${"a".repeat(70_000)} HTTP/1.1`, HOST),
  "two lengths": posted("Content-Length: 1", "Content-Length: 2"),
  "a negative length": posted("Content-Length: -1"),
  "a length beyond numbers": posted("Content-Length: 99999999999999999999999"),
  "a length beyond the limit": posted("Content-Length: 99999999999", "Connection: close"),
  "a length that is not a number": posted("Content-Length: 0x10"),
  "length and chunks": posted("Content-Length: 1", CHUNKED),
  "chunked twice": posted("Transfer-Encoding: chunked, chunked"),
  "a chunk size that is none": `${posted(CHUNKED)}ZZ\r\n`,
  "a chunk size beyond numbers": `${posted(CHUNKED)}FFFFFFFFFFFFFFFFFFFF\r\n`,
  "a chunk longer than it says": `${posted(CHUNKED)}1\r\nabc\r\n0\r\n\r\n`,
  "a long chunk extension": `${posted(CHUNKED)}1;${"x".repeat(70_000)}\r\na\r\n0\r\n\r\n`,
  "good chunks": `${posted(CHUNKED, "Connection: close")}2\r\n{}\r\n0\r\n\r\n`,
  "chunks with a trailer": `${posted(CHUNKED, "Connection: close")}0\r\n__proto__: x\r\n\r\n`,
  "an unknown expectation": lines("GET /livez HTTP/1.1", HOST, "Expect: x", "Connection: close"),
  "an upgrade": lines("GET /livez HTTP/1.1", HOST, "Connection: upgrade, close", "Upgrade: h2c"),
  "a whole address": lines("GET http://a.test/livez HTTP/1.1", HOST, "Connection: close"),
  "options of everything": lines("OPTIONS * HTTP/1.1", HOST, "Connection: close"),
  "a tunnel": lines("CONNECT a.test:443 HTTP/1.1", "Host: a.test:443"),
  "garbage behind a request": `${lines("GET /livez HTTP/1.1", HOST)}\u0000garbage\r\n\r\n`,
  "a body without a length": `${posted()}{"namespace":["a"]}`,
};

/** Cut off within: what is left unsaid never comes. */
const CUT: readonly string[] = [
  ...[
    "",
    "G",
    "GET /",
    "GET /iceberg/v1/config HTTP/1.1",
    "POST /iceberg/v1/namespaces HTTP/1.1\r\n",
  ],
  ...[lines("GET /livez HTTP/1.1", HOST).slice(0, -2), `${posted("Content-Length: 10")}{`],
  ...[`${posted(CHUNKED)}5\r\nab`, `${posted(CHUNKED)}5`],
  ...[posted("Transfer-Encoding: gzip, chunked"), posted("Expect: 100-continue", CHUNKED)],
];

export const broken: fc.Arbitrary<Broken> = fc.oneof(
  fc
    .constantFrom(...Object.entries(SAMPLES))
    .map(([what, text]) => ({ what, text, ends: what === "a body without a length" })),
  fc.constantFrom(...CUT).map((text) => ({ what: "cut off", text, ends: true })),
  fc
    .string({ unit: "binary", maxLength: 200 })
    .map((text) => ({ what: "noise", text, ends: true })),
);
