import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { parseEntityTags } from "../../src/http/etags.ts";
import { decodeUrlPart, splitNamespace } from "../../src/http/iceberg/path.ts";
import {
  pageOf,
  parentOf,
  parseQuery,
  purgeRequestedOf,
  snapshotsOf,
} from "../../src/http/iceberg/query.ts";
import { matchPath } from "../../src/http/iceberg/router.ts";

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Invalid") return error.code;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** As the Java client encodes path segments: `URLEncoder`, whose space is a plus. */
function javaEncode(text: string): string {
  return encodeURIComponent(text).replaceAll("%20", "+").replaceAll("~", "%7E");
}

const anyName = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
const levelName = anyName.filter((name) => !name.includes("\u001f"));

describe("path parts", () => {
  it("decode what Java, Python and browsers encode", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(decodeUrlPart(encodeURIComponent(name))).toBe(name);
        expect(decodeUrlPart(javaEncode(name))).toBe(name);
        // Raw bytes, as Node hands them over: one char a byte.
        const raw = Buffer.from(name.replace(/[%+]/g, "_"), "utf8").toString("latin1");
        expect(decodeUrlPart(raw)).toBe(name.replace(/[%+]/g, "_"));
      }),
    );
  });

  it.each(["%", "%2", "%GG", "%ff", "%c3%28", "a%80b", "%ed%a0%80", "%f5%80%80%80"])(
    "refuse %s",
    (part) => {
      expect(codeOf(() => decodeUrlPart(part))).toBe("URL_INVALID");
    },
  );

  it("keep the levels of any namespace apart", () => {
    fc.assert(
      fc.property(fc.array(levelName, { minLength: 1, maxLength: 32 }), (levels) => {
        const joined = levels.map(javaEncode).join("%1F");
        const path = `/v1/cat/namespaces/${joined}/tables/${javaEncode("a/b")}`;
        const match = matchPath("GET", path);
        if (match.found !== "operation") throw new Error(`no match: ${path}`);
        expect(splitNamespace(decodeUrlPart(match.params.namespace ?? ""))).toEqual(levels);
        expect(decodeUrlPart(match.params.table ?? "")).toBe("a/b");
      }),
    );
  });

  it("refuse empty levels and too many", () => {
    for (const joined of ["", "\u001f", "a\u001f", "\u001fa", "a\u001f\u001fb"]) {
      expect(codeOf(() => splitNamespace(joined))).toBe("NAMESPACE_INVALID");
    }
    const deepest = Array.from({ length: 32 }, () => "x");
    expect(splitNamespace(deepest.join("\u001f"))).toEqual(deepest);
    expect(codeOf(() => splitNamespace([...deepest, "x"].join("\u001f")))).toBe(
      "NAMESPACE_INVALID",
    );
  });
});

describe("routes", () => {
  it("distinguish a prefixed route from one without a prefix", () => {
    const prefixed = matchPath("GET", "/v1/my%2Fcat/namespaces/tables");
    expect(prefixed).toMatchObject({
      found: "operation",
      operation: { template: "/v1/{prefix}/namespaces/{namespace}" },
      params: { prefix: "my%2Fcat", namespace: "tables" },
    });
    const bare = matchPath("GET", "/v1/namespaces/namespaces");
    expect(bare).toMatchObject({ found: "operation", params: { namespace: "namespaces" } });
    expect(bare).not.toHaveProperty("params.prefix");
  });

  it("have no second spelling", () => {
    for (const path of [
      ...["", "/", "/v1", "/v1/", "/v2/config", "/v1/config/", "//v1/config", "/V1/config"],
      ...[
        "/v1/cat/config",
        "/v1/cat",
        "/v1//namespaces",
        "/v1/cat/namespaces/a/",
        "/v1/%6eamespaces",
      ],
    ]) {
      expect([path, matchPath("GET", path).found]).toEqual([path, "nothing"]);
    }
  });

  it("of the contract that are not served are known as such, by their method", () => {
    expect(matchPath("GET", "/v1/cat/namespaces/a%1Fb/tables/v%2Fw/plan/p")).toMatchObject({
      found: "unserved",
      endpoint: {
        method: "GET",
        template: "/v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}",
      },
    });
    expect(matchPath("POST", "/v1/namespaces/a/tables/t/plan").found).toBe("unserved");
    expect(matchPath("GET", "/v1/namespaces/a/tables/t/plan").found).toBe("nothing");
    expect(matchPath("PATCH", "/v1/namespaces/a/tables/t/plan").found).toBe("nothing");
  });

  it("name the methods that a path has", () => {
    expect(matchPath("PATCH", "/v1/namespaces/a/tables/t")).toEqual({
      found: "path",
      allow: ["GET", "HEAD", "POST", "DELETE"],
    });
  });
});

describe("query", () => {
  it("reads pages", () => {
    expect(pageOf(parseQuery(""))).toEqual({ pageToken: undefined });
    expect(pageOf(parseQuery("pageToken="))).toEqual({ pageToken: "" });
    expect(pageOf(parseQuery("pageToken=a%3D%3D&pageSize=7"))).toEqual({
      pageToken: "a==",
      pageSize: 7,
    });
    expect(pageOf(parseQuery("pageSize=999999999"))).toMatchObject({ pageSize: 1_000 });
  });

  it.each(["0", "-1", "1.5", "1e3", "", "%20", "0x10", "abc", "9".repeat(400)])(
    "refuses page size %s",
    (size) => {
      expect(codeOf(() => pageOf(parseQuery(`pageSize=${size}`)))).toBe("PARAMETER_INVALID");
    },
  );

  it("refuses a parameter that comes twice, however it is spelled", () => {
    expect(codeOf(() => parseQuery("pageSize=1&page%53ize=2"))).toBe("PARAMETER_INVALID");
    expect(codeOf(() => parseQuery("a=%"))).toBe("URL_INVALID");
    const many = Array.from({ length: 100 }, (_, i) => `p${i}=1`).join("&");
    expect(codeOf(() => parseQuery(many))).toBe("PARAMETER_INVALID");
  });

  it("reads switches as clients write them", () => {
    for (const text of ["true", "True", "TRUE"]) {
      expect(purgeRequestedOf(parseQuery(`purgeRequested=${text}`))).toBe(true);
    }
    expect(purgeRequestedOf(parseQuery("purgeRequested=False"))).toBe(false);
    expect(purgeRequestedOf(parseQuery(""))).toBe(false);
    expect(codeOf(() => purgeRequestedOf(parseQuery("purgeRequested=yes")))).toBe(
      "PARAMETER_INVALID",
    );
    expect(snapshotsOf(parseQuery("snapshots=refs"))).toBe("refs");
    expect(snapshotsOf(parseQuery("other=1"))).toBe("all");
    expect(codeOf(() => snapshotsOf(parseQuery("snapshots=none")))).toBe("PARAMETER_INVALID");
  });

  it("reads the parent of a listing", () => {
    expect(parentOf(parseQuery("parent="))).toEqual([]);
    expect(parentOf(parseQuery("parent=a%1Fb+c"))).toEqual(["a", "b c"]);
  });
});

describe("entity tags", () => {
  it("are parsed from lists of weak and strong tags", () => {
    expect(parseEntityTags('"a", W/"b" ,"c,d"')).toEqual(['"a"', '"b"', '"c,d"']);
    expect(parseEntityTags("*")).toEqual(["*"]);
    expect(parseEntityTags(undefined)).toBeUndefined();
  });

  it("match nothing where the header is malformed", () => {
    for (const text of ["", " ", "a", '"a', "W/", '"a" b']) {
      expect(parseEntityTags(text)).toBeUndefined();
    }
  });
});
