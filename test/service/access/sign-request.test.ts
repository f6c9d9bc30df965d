import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/base/hash.ts";
import {
  type AskedSignature,
  isWrite,
  judgeSignature,
  type SigningScope,
} from "../../../src/service/access/sign-request.ts";

const SCOPE: SigningScope = {
  bucket: "lake",
  region: "eu-central-1",
  bases: [
    "https://lake.s3.eu-central-1.amazonaws.com",
    "https://s3.eu-central-1.amazonaws.com/lake",
  ],
  prefix: "wh/n/t/",
  writes: true,
};
const BASE = "https://lake.s3.eu-central-1.amazonaws.com";
const PATH_STYLE = "https://s3.eu-central-1.amazonaws.com/lake";

function asked(method: string, uri: string, more: Partial<AskedSignature> = {}): AskedSignature {
  return { method, uri, region: "eu-central-1", headers: new Map(), ...more };
}

const headers = (...pairs: readonly (readonly [string, string])[]) =>
  new Map(pairs.map(([name, value]) => [name, [value]]));

const judged = (one: AskedSignature, scope: SigningScope = SCOPE) => judgeSignature(one, scope);

function refusal(one: AskedSignature, scope: SigningScope = SCOPE): string {
  try {
    judgeSignature(one, scope);
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return "signed";
}

describe("what is signed", () => {
  it.each([
    ["GET", `${BASE}/wh/n/t/data/1.parquet`],
    ["HEAD", `${BASE}/wh/n/t/data/1.parquet`],
    ["PUT", `${BASE}/wh/n/t/data/1.parquet`],
    ["DELETE", `${BASE}/wh/n/t/data/1.parquet`],
    ["GET", `${PATH_STYLE}/wh/n/t/metadata/00000-a.metadata.json`],
    ["GET", "https://S3.eu-central-1.amazonaws.com:443/lake/wh/n/t/data/1"],
    ["PUT", `${BASE}/wh/n/t/data/p%3D1/%C3%A9%2A.parquet`],
    ["GET", `${BASE}/wh/n/t/data/p%3Da%252Fb/1.parquet`],
    ["POST", `${BASE}/wh/n/t/data/1?uploads`],
    ["POST", `${BASE}/wh/n/t/data/1?uploads=`],
    ["PUT", `${BASE}/wh/n/t/data/1?partNumber=1&uploadId=a`],
    ["POST", `${BASE}/wh/n/t/data/1?uploadId=a`],
    ["DELETE", `${BASE}/wh/n/t/data/1?uploadId=a`],
    ["GET", `${BASE}/wh/n/t/data/1?uploadId=a&max-parts=10`],
    ["GET", `${BASE}/?list-type=2&prefix=wh%2Fn%2Ft%2Fdata&delimiter=%2F`],
    ["GET", `${BASE}?list-type=2&prefix=wh/n/t/`],
  ])("%s %s", (method, uri) => {
    expect(judged(asked(method, uri)).writes).toBe(isWrite({ method, uri }));
  });

  it("has the key of the URI, and the client's hash of its body", () => {
    const sha256 = sha256Hex(Buffer.from("x"));
    const put = asked("PUT", `${BASE}/wh/n/t/x`, {
      headers: headers(["x-amz-content-sha256", sha256], ["x-amz-checksum-crc32", "AAAA"]),
    });
    expect(judged(put)).toMatchObject({
      host: "lake.s3.eu-central-1.amazonaws.com",
      path: "/wh/n/t/x",
      payloadSha256: sha256,
      headers: [["x-amz-checksum-crc32", "AAAA"]],
    });
    expect(judged(asked("PUT", `${BASE}/wh/n/t/x`)).payloadSha256).toBe("UNSIGNED-PAYLOAD");
  });

  it("may ask for a sum behind what is read, as Java's SDK does", () => {
    const te = headers(["x-amz-te", "append-md5"]);
    const get = asked("GET", `${BASE}/wh/n/t/x`, { headers: te });
    expect(judged(get).headers).toEqual([["x-amz-te", "append-md5"]]);
  });
});

const TRICKS: readonly (readonly [string, string, string])[] = [
  ["another table", "GET", `${BASE}/wh/n/u/data/1`],
  ["a table whose name begins alike", "GET", `${BASE}/wh/n/t2/data/1`],
  ["the table's own directory", "GET", `${BASE}/wh/n/t`],
  ["dot segments", "GET", `${BASE}/wh/n/t/../u/data/1`],
  ["a dot segment", "GET", `${BASE}/wh/n/t/./data/1`],
  ["encoded dot segments", "GET", `${BASE}/wh/n/t/%2e%2e/u/1`],
  ["encoded dots in capitals", "GET", `${BASE}/wh/n/t/%2E%2E/u/1`],
  ["an encoded slash", "GET", `${BASE}/wh/n/t/..%2Fu/1`],
  ["a slash that is encoded within", "GET", `${BASE}/wh/n/t/a%2Fb`],
  ["an empty segment", "GET", `${BASE}/wh/n/t//x`],
  ["an empty first segment", "GET", `${BASE}//wh/n/t/x`],
  ["an end that is a slash", "PUT", `${BASE}/wh/n/t/x/`],
  ["a backslash", "GET", `${BASE}/wh/n/t/..\\u`],
  ["an encoded backslash", "GET", `${BASE}/wh/n/t/..%5Cu`],
  ["NUL", "GET", `${BASE}/wh/n/t/a%00`],
  ["a control character", "GET", `${BASE}/wh/n/t/a%0A`],
  ["bad UTF-8", "GET", `${BASE}/wh/n/t/a%FF`],
  ["an escape cut short", "GET", `${BASE}/wh/n/t/a%2`],
  ["encoded twice", "GET", `${BASE}/wh/n/t/%252e%252e/u`],
  ["a slash encoded twice", "GET", `${BASE}/wh/n/t/a%252F..%252F../u`],
  ["lower-case escapes", "GET", `${BASE}/wh/n/t/a%3db`],
  ["what need not be encoded", "GET", `${BASE}/wh/n/%74/data`],
  ["what has to be encoded", "GET", `${BASE}/wh/n/t/a=b`],
  ["another bucket", "GET", "https://other.s3.eu-central-1.amazonaws.com/wh/n/t/x"],
  ["another bucket by path", "GET", "https://s3.eu-central-1.amazonaws.com/other/wh/n/t/x"],
  ["a bucket that begins alike", "GET", "https://s3.eu-central-1.amazonaws.com/lake2/wh/n/t/x"],
  ["another host", "GET", "https://evil.example/lake/wh/n/t/x"],
  ["a user before the host", "GET", "https://lake.s3.eu-central-1.amazonaws.com@evil.example/x"],
  ["another port", "GET", "https://lake.s3.eu-central-1.amazonaws.com:8443/wh/n/t/x"],
  ["another scheme", "GET", "http://lake.s3.eu-central-1.amazonaws.com/wh/n/t/x"],
  ["no scheme", "GET", "/wh/n/t/x"],
  ["a fragment", "GET", `${BASE}/wh/n/t/x#y`],
  ["a new line", "GET", `${BASE}/wh/n/t/x\n`],
  ["a metadata file", "PUT", `${BASE}/wh/n/t/metadata/9.metadata.json`],
  ["a compressed metadata file", "PUT", `${BASE}/wh/n/t/metadata/9.gz.metadata.json`],
  ["a deleted metadata file", "DELETE", `${BASE}/wh/n/t/metadata/9.metadata.json`],
  ["a metadata file in parts", "POST", `${BASE}/wh/n/t/metadata/9.metadata.json?uploads`],
  ["a part of one", "PUT", `${BASE}/wh/n/t/m/9.metadata.json?partNumber=1&uploadId=a`],
  ["an access list", "PUT", `${BASE}/wh/n/t/x?acl`],
  ["a reading of it", "GET", `${BASE}/wh/n/t/x?acl`],
  ["tags", "PUT", `${BASE}/wh/n/t/x?tagging`],
  ["a version", "GET", `${BASE}/wh/n/t/x?versionId=1`],
  ["versions of all", "GET", `${BASE}/?versions&prefix=wh%2Fn%2Ft%2F`],
  ["a policy", "PUT", `${BASE}/?policy`],
  ["the bucket", "DELETE", `${BASE}/`],
  ["the buckets", "GET", "https://s3.eu-central-1.amazonaws.com/"],
  ["a signature in the query", "GET", `${BASE}/wh/n/t/x?X-Amz-Signature=a`],
  ["a response header", "GET", `${BASE}/wh/n/t/x?response-content-type=a`],
  ["a query twice", "GET", `${BASE}/?list-type=2&prefix=wh%2Fn%2Ft%2F&prefix=a`],
  ["a second separator", "GET", `${BASE}/?list-type=2&prefix=wh%2Fn%2Ft%2F;prefix=a`],
  ["a list of all", "GET", `${BASE}/?list-type=2`],
  ["a list of more", "GET", `${BASE}/?list-type=2&prefix=wh%2Fn%2Ft`],
  ["an old list", "GET", `${BASE}/?prefix=wh%2Fn%2Ft%2F`],
  ["a list by version 1", "GET", `${BASE}/?list-type=1&prefix=wh%2Fn%2Ft%2F`],
  ["a list below a key", "GET", `${BASE}/wh/n/t/x?list-type=2&prefix=wh%2Fn%2Ft%2F`],
  ["all uploads", "GET", `${BASE}/?uploads&prefix=wh%2Fn%2Ft%2F`],
  ["a select", "POST", `${BASE}/wh/n/t/x?select&select-type=2`],
  ["another method", "PATCH", `${BASE}/wh/n/t/x`],
  ["a form", "POST", `${BASE}/wh/n/t/x`],
  ["a method in small letters", "get", `${BASE}/wh/n/t/x`],
  ["too long", "GET", `${BASE}/wh/n/t/${"x".repeat(9_000)}`],
];

describe("what is not signed", () => {
  it.each(TRICKS)("%s", (_name, method, uri) => {
    expect(refusal(asked(method, uri))).toBe("SIGN_REFUSED");
  });

  it("is of another region, or a write where only reads are signed", () => {
    const get = asked("GET", `${BASE}/wh/n/t/x`);
    expect(refusal({ ...get, region: "us-east-1" })).toBe("SIGN_REFUSED");
    expect(refusal(get, { ...SCOPE, writes: false })).toBe("signed");
    for (const method of ["PUT", "DELETE"]) {
      expect(refusal({ ...get, method }, { ...SCOPE, writes: false })).toBe("SIGN_REFUSED");
    }
  });

  it.each([
    ["x-amz-copy-source", "/lake/wh/n/u/data/1"],
    ["x-amz-acl", "public-read"],
    ["x-amz-grant-read", "id=1"],
    ["x-amz-tagging", "a=b"],
    ["x-amz-website-redirect-location", "https://evil.example"],
    ["x-amz-object-lock-mode", "COMPLIANCE"],
    ["x-amz-security-token", "abc"],
    ["x-amz-decoded-content-length", "3"],
    ["x-amz-trailer", "x-amz-checksum-crc32"],
    ["x-amz-te", "chunked"],
    ["x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"],
    ["x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"],
    ["x-amz-content-sha256", "UNSIGNED-PAYLOAD\n"],
    ["x-amz-user-agent", "a\r\nx-amz-acl: public-read"],
  ])("has the header %s: %s", (name, value) => {
    const put = asked("PUT", `${BASE}/wh/n/t/x`, { headers: headers([name, value]) });
    expect(refusal(put)).toBe("SIGN_REFUSED");
  });

  it("has a header twice", () => {
    const twice = new Map([["x-amz-checksum-crc32", ["AAAA", "BBBB"]]]);
    expect(refusal(asked("PUT", `${BASE}/wh/n/t/x`, { headers: twice }))).toBe("SIGN_REFUSED");
  });
});

describe("a deletion of several objects", () => {
  const XMLNS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
  const object = (key: string, more = "") => `<Object><Key>${key}</Key>${more}</Object>`;
  const list = (...parts: readonly string[]) => `<Delete ${XMLNS}>${parts.join("")}</Delete>`;
  const deletion = (body?: string) => asked("POST", `${BASE}/?delete`, { body });

  it("is signed with the hash of what was read", () => {
    const body = list(object("wh/n/t/a"), object("wh/n/t/b&amp;c"), "<Quiet>true</Quiet>");
    const told = judged({ ...deletion(body), headers: headers(["x-amz-content-sha256", "a"]) });
    expect(told).toMatchObject({ payloadSha256: sha256Hex(Buffer.from(body)), writes: true });
    const header = '<?xml version="1.0" encoding="UTF-8"?>\n';
    expect(refusal(deletion(`${header}${list(object("wh/n/t/a"))}\n`))).toBe("signed");
  });

  it.each([
    ["no body", undefined],
    ["no key", list()],
    ["a key outside", list(object("wh/n/t/a"), object("wh/n/u/a"))],
    ["a key that is outside once it is decoded", list(object("wh/n/t/&#x2e;&#46;/u/a"))],
    ["a metadata file", list(object("wh/n/t/metadata/1.metadata.json"))],
    ["a version", list(object("wh/n/t/a", "<VersionId>1</VersionId>"))],
    ["two keys in one object", list("<Object><Key>wh/n/t/a</Key><Key>wh/n/u/a</Key></Object>")],
    ["a document type", `<!DOCTYPE a [<!ENTITY e "x">]>${list(object("wh/n/t/a"))}`],
    ["a comment", list(object("wh/n/t/a"), "<!-- -->")],
    ["unescaped data", list("<Object><Key><![CDATA[wh/n/u/a]]></Key></Object>")],
    ["an entity that is not known", list(object("wh/n/t/&e;"))],
    ["an entity without an end", list(object("wh/n/t/&amp"))],
    ["an attribute", list('<Object a="b"><Key>wh/n/t/a</Key></Object>')],
    ["text behind the end", `${list(object("wh/n/t/a"))}<Delete>`],
    ["a second list", `${list(object("wh/n/t/a"))}${list(object("wh/n/u/a"))}`],
    ["too many keys", list(...Array.from({ length: 1_001 }, (_, i) => object(`wh/n/t/${i}`)))],
    ["JSON", "{}"],
  ])("is not signed with %s", (_name, body) => {
    expect(refusal(deletion(body))).toBe("SIGN_REFUSED");
  });

  it("reads a long list in one pass", () => {
    const keys = Array.from({ length: 1_000 }, (_, i) => object(`wh/n/t/${"x".repeat(900)}${i}`));
    expect(refusal(deletion(list(...keys)))).toBe("signed");
    expect(refusal(deletion(`<Delete>${" ".repeat(500_000)}x</Delete>`))).toBe("SIGN_REFUSED");
  });
});
