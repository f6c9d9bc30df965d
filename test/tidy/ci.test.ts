// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are source texts

import { describe, expect, it } from "vitest";
import { errorUses, renderErrors } from "../../.ci/generate/errors.ts";
import { between } from "../../.ci/generate/settings.ts";
import { lockProblems } from "../../.ci/lock.ts";

describe("the lock file", () => {
  const good = {
    "": { dependencies: { a: "1.0.0" }, optionalDependencies: { "b-linux": "2.0.0" } },
    "node_modules/a": { integrity: "sha512-a", optionalDependencies: { "@c/darwin": "1" } },
    "node_modules/b-linux": { integrity: "sha512-b" },
    "node_modules/a/node_modules/@c/darwin": { integrity: "sha512-c" },
  };
  const manifest = { dependencies: { a: "1.0.0" }, optionalDependencies: { "b-linux": "2.0.0" } };

  it("may hold a workspace, which is in no registry", () => {
    const node = { optionalDependencies: { "b-linux": "2.0.0" } };
    const link = { resolved: ".ci/node", link: true };
    const packages = { ...good, ".ci/node": node, "node_modules/firn-node": link };
    expect(lockProblems({ packages }, manifest)).toEqual([]);
    const gone = { ...packages, ".ci/node": { optionalDependencies: { gone: "1" } } };
    expect(lockProblems({ packages: gone }, manifest)).toHaveLength(1);
  });

  it("is whole", () => expect(lockProblems({ packages: good }, manifest)).toEqual([]));

  it.each([
    [
      "lacks a platform package",
      { "node_modules/a": { ...good["node_modules/a"], optionalDependencies: { gone: "1" } } },
    ],
    [
      "names a registry",
      { "node_modules/b-linux": { integrity: "sha512-b", resolved: "https://x/b.tgz" } },
    ],
    ["lacks an integrity", { "node_modules/b-linux": {} }],
    ["is older than the manifest", { "": { ...good[""], dependencies: { a: "0.9.0" } } }],
    ["holds what the manifest dropped", { "": { ...good[""], devDependencies: { d: "1" } } }],
  ])("%s", (_, change) => {
    expect(lockProblems({ packages: { ...good, ...change } }, manifest)).toHaveLength(1);
  });
});

describe("the list of error codes", () => {
  const text = [
    'throw new FirnError("NotFound", "TABLE_NOT_FOUND", `no table ${name}`, { name });',
    'throw invalid(\n  "NAME_EMPTY",\n  "empty name",\n);',
    'new FirnError("Internal", code, "a code that is not spelt out");',
  ].join("\n");

  it("finds kind, code and wording", () => {
    expect(errorUses(text, "x.ts")).toEqual([
      { kind: "NotFound", code: "TABLE_NOT_FOUND", message: "no table …", file: "x.ts" },
      { kind: "Invalid", code: "NAME_EMPTY", message: "empty name", file: "x.ts" },
    ]);
  });

  it("has one line a code, whatever raises it, in any order of the files", () => {
    const uses = [...errorUses(text, "x.ts"), ...errorUses(text, "y.ts")];
    const rendered = renderErrors(uses);
    expect(rendered.match(/`NAME_EMPTY`/g)).toHaveLength(1);
    expect(renderErrors(uses.toReversed())).toBe(rendered);
  });
});

describe("a generated part of a text", () => {
  it("is replaced, and only it", () => {
    const text = "a\n<!-- s -->\nold\n<!-- e -->\nb\n";
    const once = between(text, "<!-- s -->", "<!-- e -->", "new");
    expect(once).toBe("a\n<!-- s -->\n\nnew\n\n<!-- e -->\nb\n");
    expect(between(once, "<!-- s -->", "<!-- e -->", "new")).toBe(once);
  });

  it("is refused without its markers", () => {
    expect(() => between("a", "<!-- s -->", "<!-- e -->", "new")).toThrow();
  });
});
