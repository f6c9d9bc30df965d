import type { Answer, Fact, FactsWire } from "./facts-wire.ts";

/*
 * What S3 answers to a request on the wire, as its reference documents it: the table that the
 * double and every server that stands in for the service are held to.
 */

const MD5_OF_ONE = '"f97c5d29941bfb1b2fdab0874906ab82"';
const ABSENT = { "if-none-match": "*" };
const OTHER = { "if-match": '"0123456789abcdef0123456789abcdef"' };
const FAILED = { status: 412, code: "PreconditionFailed" };
/** The least that a part but the last must have. */
const PART = "p".repeat(5 * 1_024 * 1_024);

const writes: readonly Fact[] = [
  {
    fact: "a put answers the MD5 of the content, in quotes",
    ask: (wire) => wire.put("a", "one"),
    answer: { status: 200, headers: { etag: MD5_OF_ONE } },
  },
  {
    fact: "If-None-Match * holds where nothing is",
    ask: (wire) => wire.put("a", "one", ABSENT),
    answer: { status: 200 },
  },
  {
    fact: "If-None-Match * fails where something is",
    async ask(wire) {
      await wire.put("a", "one");
      return wire.put("a", "two", ABSENT);
    },
    answer: FAILED,
  },
  {
    fact: "a failed condition changes nothing",
    async ask(wire) {
      await wire.put("a", "one");
      await wire.put("a", "two", ABSENT);
      await wire.put("a", "two", OTHER);
      return wire.send("GET", "a");
    },
    answer: { status: 200, text: "one" },
  },
  {
    fact: "If-None-Match takes nothing but *",
    ask: (wire) => wire.put("a", "one", { "if-none-match": MD5_OF_ONE }),
    answer: { status: 501, code: "NotImplemented" },
  },
  {
    fact: "If-Match holds for the etag that stands",
    async ask(wire) {
      await wire.put("a", "one");
      return wire.put("a", "two", { "if-match": MD5_OF_ONE });
    },
    answer: { status: 200 },
  },
  {
    fact: "If-Match holds without quotes too",
    async ask(wire) {
      await wire.put("a", "one");
      return wire.put("a", "two", { "if-match": MD5_OF_ONE.slice(1, -1) });
    },
    answer: { status: 200 },
  },
  {
    fact: "If-Match fails for another etag",
    async ask(wire) {
      await wire.put("a", "one");
      return wire.put("a", "two", OTHER);
    },
    answer: FAILED,
  },
  {
    fact: "If-Match where nothing is finds no key",
    ask: (wire) => wire.put("a", "one", OTHER),
    answer: { status: 404, code: "NoSuchKey" },
  },
  {
    fact: "a put with another MD5 than it says is refused",
    ask: (wire) => wire.put("a", "one", { "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==" }),
    answer: { status: 400, code: "BadDigest" },
  },
  {
    fact: "a put with another SHA-256 than it says is refused",
    ask: (wire) => wire.put("a", "one", { "x-amz-checksum-sha256": `${"A".repeat(43)}=` }),
    answer: { status: 400, code: "BadDigest" },
  },
  {
    fact: "a key has at most 1,024 bytes",
    // Behind the fact's own prefix it has more.
    ask: (wire) => wire.put("a".repeat(1_024), "one"),
    answer: { status: 400, code: "KeyTooLongError" },
  },
  {
    fact: "a put needs its bucket",
    ask: (wire) => wire.raw("PUT", "/firn-no-such-bucket/a", { body: "one" }),
    answer: { status: 404, code: "NoSuchBucket" },
  },
  {
    fact: "a key may stand beside those below it",
    async ask(wire) {
      await wire.put("a/b", "two");
      await wire.put("a", "one");
      return wire.send("GET", "a/b");
    },
    answer: { status: 200, text: "two" },
  },
];

const reads: readonly Fact[] = [
  {
    fact: "user metadata come back under their names",
    async ask(wire) {
      await wire.put("a", "one", { "x-amz-meta-firn-put": "1a2b" });
      return wire.send("HEAD", "a");
    },
    answer: {
      status: 200,
      headers: { "x-amz-meta-firn-put": "1a2b", etag: MD5_OF_ONE, "content-length": "3" },
    },
  },
  {
    fact: "a GET where nothing is finds no key",
    ask: (wire) => wire.send("GET", "a"),
    answer: { status: 404, code: "NoSuchKey" },
  },
  {
    fact: "a HEAD where nothing is has no body",
    ask: (wire) => wire.send("HEAD", "a"),
    answer: { status: 404, text: "" },
  },
  {
    fact: "a GET needs its bucket",
    ask: (wire) => wire.raw("GET", "/firn-no-such-bucket/a", {}),
    answer: { status: 404, code: "NoSuchBucket" },
  },
  ...ranges(),
  {
    fact: "If-Match of a GET fails for another etag",
    async ask(wire) {
      await wire.put("a", "one");
      return wire.send("GET", "a", { headers: OTHER });
    },
    answer: FAILED,
  },
  {
    fact: "If-None-Match of a GET spares what is known",
    async ask(wire) {
      await wire.put("a", "one");
      return wire.send("GET", "a", { headers: { "if-none-match": MD5_OF_ONE } });
    },
    answer: { status: 304, text: "" },
  },
];

function ranges(): readonly Fact[] {
  const range = (content: string, asked: string, answer: Fact["answer"]): Fact => ({
    fact: `${asked} of ${content.length} bytes`,
    async ask(wire) {
      await wire.put("a", content);
      return wire.send("GET", "a", { headers: { range: asked } });
    },
    answer,
  });
  const partial = (shown: string, text: string) => {
    return { status: 206, text, headers: { "content-range": `bytes ${shown}` } };
  };
  const none = { status: 416, code: "InvalidRange" };
  return [
    range("012345", "bytes=1-2", partial("1-2/6", "12")),
    range("012345", "bytes=4-9", partial("4-5/6", "45")),
    range("012345", "bytes=0-9007199254740991", partial("0-5/6", "012345")),
    range("012345", "bytes=4-", partial("4-5/6", "45")),
    range("012345", "bytes=-2", partial("4-5/6", "45")),
    range("012345", "bytes=-9", partial("0-5/6", "012345")),
    range("012345", "bytes=6-7", none),
    range("012345", "bytes=-0", none),
    range("", "bytes=0-9", none),
  ];
}

const many = (keys: readonly string[], quiet: boolean): string => {
  const objects = keys.map((key) => `<Object><Key>${key}</Key></Object>`).join("");
  return `<Delete><Quiet>${quiet}</Quiet>${objects}</Delete>`;
};
const digest = async (body: string): Promise<Record<string, string>> => {
  const sum = await crypto.subtle.digest("SHA-256", Buffer.from(body));
  return { "x-amz-checksum-sha256": Buffer.from(sum).toString("base64") };
};

const deletes: readonly Fact[] = [
  {
    fact: "what was deleted is gone",
    async ask(wire) {
      await wire.put("a", "one");
      const { status } = await wire.send("DELETE", "a");
      return { ...(await wire.send("HEAD", "a")), text: `${status}` };
    },
    answer: { status: 404, text: "204" },
  },
  {
    fact: "deleting nothing is fine",
    ask: (wire) => wire.send("DELETE", "a"),
    answer: { status: 204 },
  },
  {
    fact: "a delete of many names what is gone, there or not",
    async ask(wire) {
      await wire.put("a", "one");
      const body = many([wire.key("a"), wire.key("b")], false);
      return wire.bucket("POST", { query: { delete: "" }, body, headers: await digest(body) });
    },
    answer: { status: 200, text: /<Deleted>.*<Deleted>/s },
  },
  {
    fact: "a quiet delete of many names nothing",
    async ask(wire) {
      await wire.put("a", "one");
      const body = many([wire.key("a")], true);
      return wire.bucket("POST", { query: { delete: "" }, body, headers: await digest(body) });
    },
    answer: { status: 200, text: /^(?!.*<Deleted>).*DeleteResult/s },
  },
  {
    fact: "a delete of many carries a digest",
    ask: (wire) =>
      wire.bucket("POST", { query: { delete: "" }, body: many([wire.key("a")], true) }),
    answer: { status: 400, code: "InvalidRequest" },
  },
];

const list = (wire: FactsWire, query: Record<string, string> = {}): Promise<Answer> =>
  wire.bucket("GET", { query: { "list-type": "2", prefix: "@", ...query } });

async function listOf(
  wire: FactsWire,
  keys: readonly string[],
  query: Record<string, string> = {},
): Promise<Answer> {
  for (const key of keys) await wire.put(key, "one");
  return list(wire, query);
}

const lists: readonly Fact[] = [
  {
    fact: "a list is in the order of UTF-8 bytes",
    ask: (wire) => listOf(wire, ["\u{10000}", "\u{ff5e}", "b", "a/c", "a-b", "B"]),
    answer: { status: 200, text: /\/B<.*\/a-b<.*\/a\/c<.*\/b<.*\/\u{ff5e}<.*\/\u{10000}</su },
  },
  {
    fact: "a list starts after a key, there or not",
    ask: (wire) => listOf(wire, ["a", "b", "c"], { "start-after": "@b" }),
    answer: { status: 200, text: /^(?!.*\/b<\/Key>).*<KeyCount>1<.*\/c<\/Key>/s },
  },
  {
    fact: "a page that is full names how to go on",
    ask: (wire) => listOf(wire, ["a", "b", "c"], { "max-keys": "2" }),
    answer: {
      status: 200,
      text: /(?=.*<IsTruncated>true<)(?=.*<NextContinuationToken>.)(?=.*<KeyCount>2<)/s,
    },
  },
  {
    fact: "a page that is just filled is the last",
    ask: (wire) => listOf(wire, ["a", "b"], { "max-keys": "2" }),
    answer: { status: 200, text: /<IsTruncated>false</ },
  },
  {
    fact: "keys are encoded as forms are where that is asked for",
    ask: (wire) => listOf(wire, ["a b/%+"], { "encoding-type": "url" }),
    answer: { status: 200, text: /\/a(?:\+|%20)b\/%25%2B</ },
  },
  {
    fact: "a list says that its keys are encoded",
    ask: (wire) => listOf(wire, ["a"], { "encoding-type": "url" }),
    answer: { status: 200, text: /<EncodingType>url</ },
  },
  {
    fact: "a list needs its bucket",
    ask: (wire) => wire.raw("GET", "/firn-no-such-bucket", { query: { "list-type": "2" } }),
    answer: { status: 404, code: "NoSuchBucket" },
  },
];

const uploads: readonly Fact[] = [
  {
    fact: "parts become one object, whose etag counts them",
    async ask(wire) {
      const { uploadId, etags } = await wire.upload("a", [PART, "end"]);
      return wire.complete("a", uploadId, etags);
    },
    answer: { status: 200, text: /-2(?:&quot;|&#34;|")</ },
  },
  {
    fact: "an upload is not there before its end",
    async ask(wire) {
      await wire.upload("a", ["one"]);
      return wire.send("HEAD", "a");
    },
    answer: { status: 404 },
  },
  {
    fact: "an upload has the metadata it began with",
    async ask(wire) {
      const { uploadId, etags } = await wire.upload("a", ["one"], { "x-amz-meta-x": "y" });
      await wire.complete("a", uploadId, etags);
      return wire.send("HEAD", "a");
    },
    answer: { status: 200, headers: { "x-amz-meta-x": "y", "content-length": "3" } },
  },
  {
    fact: "If-None-Match * holds for an upload",
    async ask(wire) {
      const { uploadId, etags } = await wire.upload("a", ["one"]);
      return wire.complete("a", uploadId, etags, ABSENT);
    },
    answer: { status: 200 },
  },
  {
    fact: "If-None-Match * of an upload fails where something is by its end",
    async ask(wire) {
      const { uploadId, etags } = await wire.upload("a", ["one"]);
      await wire.put("a", "two");
      return wire.complete("a", uploadId, etags, ABSENT);
    },
    answer: FAILED,
  },
  {
    fact: "If-Match of an upload holds for the etag that stands",
    async ask(wire) {
      await wire.put("a", "one");
      const { uploadId, etags } = await wire.upload("a", ["two"]);
      return wire.complete("a", uploadId, etags, { "if-match": MD5_OF_ONE });
    },
    answer: { status: 200 },
  },
  {
    fact: "If-Match of an upload fails for another etag",
    async ask(wire) {
      await wire.put("a", "one");
      const { uploadId, etags } = await wire.upload("a", ["two"]);
      return wire.complete("a", uploadId, etags, OTHER);
    },
    answer: FAILED,
  },
  {
    fact: "an upload that failed can still be given up",
    async ask(wire) {
      await wire.put("a", "one");
      const { uploadId, etags } = await wire.upload("a", ["two"]);
      await wire.complete("a", uploadId, etags, ABSENT);
      return wire.send("DELETE", "a", { query: { uploadId } });
    },
    answer: { status: 204 },
  },
  {
    fact: "an upload that was given up cannot be completed",
    async ask(wire) {
      const { uploadId, etags } = await wire.upload("a", ["one"]);
      await wire.send("DELETE", "a", { query: { uploadId } });
      return wire.complete("a", uploadId, etags);
    },
    answer: { status: 404, code: "NoSuchUpload" },
  },
  {
    fact: "what was completed cannot be given up",
    async ask(wire) {
      const { uploadId, etags } = await wire.upload("a", ["one"]);
      await wire.complete("a", uploadId, etags);
      return wire.send("DELETE", "a", { query: { uploadId } });
    },
    answer: { status: 404, code: "NoSuchUpload" },
  },
  {
    fact: "parts have the etags that they were answered with",
    async ask(wire) {
      const { uploadId } = await wire.upload("a", ["one"]);
      return wire.complete("a", uploadId, ['"00000000000000000000000000000000"']);
    },
    answer: { status: 400, code: "InvalidPart" },
  },
  {
    fact: "parts come in order",
    async ask(wire) {
      const { uploadId, etags } = await wire.upload("a", [PART, PART]);
      return wire.complete("a", uploadId, etags, {}, [2, 1]);
    },
    answer: { status: 400, code: "InvalidPartOrder" },
  },
  {
    fact: "a part but the last has 5 MiB",
    async ask(wire) {
      const { uploadId, etags } = await wire.upload("a", ["one", "two"]);
      return wire.complete("a", uploadId, etags);
    },
    answer: { status: 400, code: "EntityTooSmall" },
  },
];

const buckets: readonly Fact[] = [
  {
    fact: "a bucket that is there answers HEAD",
    ask: (wire) => wire.bucket("HEAD"),
    answer: { status: 200 },
  },
  {
    fact: "a bucket that is not does too",
    ask: (wire) => wire.raw("HEAD", "/firn-no-such-bucket", {}),
    answer: { status: 404, text: "" },
  },
];

export const FACTS: readonly Fact[] = [
  ...writes,
  ...reads,
  ...deletes,
  ...lists,
  ...uploads,
  ...buckets,
];
