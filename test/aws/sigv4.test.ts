import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  amzDate,
  EMPTY_SHA256,
  escapeText,
  type Pairs,
  type Signable,
  Signer,
} from "../../src/aws/sigv4.ts";
import { sha256Hex } from "../../src/base/hash.ts";

const DATE = "20150830T123600Z";
const ACCOUNT = {
  credentials: {
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  },
  region: "us-east-1",
  service: "service",
  escapePath: true,
};
const SUITE = new Signer(ACCOUNT);

interface Vector {
  readonly method?: string;
  readonly path?: string;
  readonly query?: Pairs;
  readonly headers?: Pairs;
  readonly body?: string;
  readonly signature: string;
}

/** Of AWS's published test suite of Signature Version 4. */
const VECTORS: Readonly<Record<string, Vector>> = {
  "get-vanilla": {
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  "get-vanilla-query-order-key-case": {
    query: [
      ["Param2", "value2"],
      ["Param1", "value1"],
    ],
    signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  },
  "get-vanilla-empty-query-key": {
    query: [["Param1", "value1"]],
    signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
  },
  "get-utf8": {
    path: "/ሴ",
    signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
  },
  "get-space": {
    path: "/example space/",
    signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
  },
  "get-slashes": {
    path: "//example//",
    signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
  },
  "get-relative": {
    path: "/example/..",
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  "get-slash-dot-slash": {
    path: "/./",
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  "get-header-value-trim": {
    headers: [
      ["my-header1", " value1"],
      ["my-header2", ' "a   b   c"'],
    ],
    signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  },
  "post-vanilla": {
    method: "POST",
    signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  },
  "post-x-www-form-urlencoded": {
    method: "POST",
    headers: [["content-type", "application/x-www-form-urlencoded"]],
    body: "Param1=value1",
    signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  },
};

describe("AWS's own examples", () => {
  test.each(Object.entries(VECTORS))("%s", (_name, vector) => {
    const { method = "GET", path = "/", query = [], headers = [], body = "" } = vector;
    const all: Pairs = [["host", "example.amazonaws.com"], ["x-amz-date", DATE], ...headers];
    const request = { method, path, query, headers: all, payloadSha256: sha256Hex(body) };
    expect(SUITE.authorize(request, DATE)).toMatch(new RegExp(`Signature=${vector.signature}$`));
  });

  const s3 = new Signer({
    credentials: {
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    },
    region: "us-east-1",
    service: "s3",
    escapePath: false,
  });
  const date = "20130524T000000Z";
  const common: Pairs = [
    ["host", "examplebucket.s3.amazonaws.com"],
    ["x-amz-date", date],
  ];
  const payload = (body: string): Pairs[number] => ["x-amz-content-sha256", sha256Hex(body)];

  test("the signature of a ranged S3 GET is AWS's", () => {
    const headers = [...common, ["range", "bytes=0-9"] as const, payload("")];
    const request = { method: "GET", path: "/test.txt", headers, payloadSha256: EMPTY_SHA256 };
    expect(s3.authorize(request, date)).toBe(
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, " +
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, " +
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    );
  });

  test("the signature of an S3 PUT is AWS's", () => {
    const body = "Welcome to Amazon S3.";
    const headers: Pairs = [
      ...common,
      ["date", "Fri, 24 May 2013 00:00:00 GMT"],
      ["x-amz-storage-class", "REDUCED_REDUNDANCY"],
      payload(body),
    ];
    const path = `/${escapeText("test$file.text")}`;
    const request = { method: "PUT", path, headers, payloadSha256: sha256Hex(body) };
    expect(s3.authorize(request, date)).toMatch(
      /Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd$/,
    );
  });

  test.each([
    [
      "lifecycle",
      [["lifecycle", ""]],
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ],
    [
      "a list",
      [
        ["max-keys", "2"],
        ["prefix", "J"],
      ],
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ],
  ] as const)("the signature of an S3 %s is AWS's", (_what, query, signature) => {
    const headers = [...common, payload("")];
    const request = { method: "GET", path: "/", query, headers, payloadSha256: EMPTY_SHA256 };
    expect(s3.authorize(request, date)).toMatch(new RegExp(`Signature=${signature}$`));
  });

  test("the signature of an IAM ListUsers is AWS's", () => {
    const iam = new Signer({ ...ACCOUNT, service: "iam" });
    const headers: Pairs = [
      ["content-type", "application/x-www-form-urlencoded; charset=utf-8"],
      ["host", "iam.amazonaws.com"],
      ["x-amz-date", DATE],
    ];
    const query: Pairs = [
      ["Action", "ListUsers"],
      ["Version", "2010-05-08"],
    ];
    const request = { method: "GET", path: "/", query, headers, payloadSha256: EMPTY_SHA256 };
    expect(iam.authorize(request, DATE)).toMatch(
      /Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7$/,
    );
  });
});

/** SHA-256 as the SDK's signer asks for it. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: unknown) {
    const key = secret as string | Uint8Array | undefined;
    this.#hash = key === undefined ? createHash("sha256") : createHmac("sha256", key);
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

const ODD = [
  "",
  " ",
  "+",
  "%",
  "~",
  "*",
  "!'()",
  "a/b",
  "..",
  ".",
  "é",
  "😀",
  "%2F",
  "=",
  "&",
  "\\",
];
const text = fc
  .oneof(fc.constantFrom(...ODD), fc.string({ unit: "binary", maxLength: 6 }))
  .map((raw) => raw.toWellFormed());
const segments = fc.array(text, { maxLength: 5 });
const value = fc.oneof(
  fc.constantFrom("", " a  b ", "\ta\t", "a,b", '"x  y"', "1"),
  fc.stringMatching(/^[ -~]{0,12}$/),
);
/** What the SDK leaves unsigned, or writes itself. */
const UNSIGNED =
  /^(?:te|from|date|authorization|host|expect|pragma|referer|trailer|upgrade|(?:sec|proxy)-.*)$/;
const names = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).filter((name) => !UNSIGNED.test(name));

test("any request is signed as the SDK signs it", async () => {
  const request = fc.record({
    method: fc.constantFrom("GET", "PUT", "POST", "HEAD", "DELETE"),
    segments,
    query: fc.dictionary(text, text, { maxKeys: 4, noNullPrototype: true }),
    headers: fc.dictionary(names, value, { maxKeys: 5, noNullPrototype: true }),
    body: fc.string({ maxLength: 20 }),
    escapePath: fc.boolean(),
    token: fc.option(fc.stringMatching(/^[a-zA-Z0-9/+=]{1,20}$/), { nil: undefined }),
    atMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  });
  await fc.assert(
    fc.asyncProperty(
      request,
      async ({ method, query, headers, body, escapePath, token, ...more }) => {
        const credentials = {
          accessKeyId: "AK",
          secretAccessKey: "secret/+",
          ...(token && { sessionToken: token }),
        };
        const scope = { region: "eu-central-1", service: escapePath ? "dynamodb" : "s3" };
        const path = `/${more.segments.map(escapeText).join("/")}`;
        const theirs = new SignatureV4({
          credentials,
          ...scope,
          uriEscapePath: escapePath,
          sha256: Sha256,
        });
        const host = "store.example:9000";
        const signed = await theirs.sign(
          {
            method,
            path,
            query,
            headers: { ...headers, host },
            body,
            protocol: "https:",
            hostname: host,
          },
          { signingDate: new Date(more.atMs) },
        );
        const date = amzDate(more.atMs);
        const { authorization, ...others } = signed.headers;
        expect(others["x-amz-date"]).toBe(date);
        const ours: Signable = {
          method,
          path,
          query: Object.entries(query),
          headers: Object.entries(others),
          payloadSha256: sha256Hex(body),
        };
        const signer = new Signer({ credentials, ...scope, escapePath });
        expect(signer.authorize(ours, date)).toBe(authorization);
        // Also from the key that is kept.
        expect(signer.authorize(ours, date)).toBe(authorization);
      },
    ),
    { numRuns: 500 },
  );
});

test("a signing key is of its day", () => {
  const request = { method: "GET", path: "/", headers: [], payloadSha256: EMPTY_SHA256 };
  const first = SUITE.authorize(request, DATE);
  expect(SUITE.authorize(request, "20150831T000000Z")).not.toBe(first);
  expect(SUITE.authorize(request, DATE)).toBe(first);
});
