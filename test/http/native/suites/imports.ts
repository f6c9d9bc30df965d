import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ImportedTable } from "../../../../src/api/import-operations.ts";
import type * as api from "../../../../src/api/resources.ts";
import { Firn } from "../../../../src/index.ts";
import { PATIENCE } from "../../../patience.ts";
import { plantTable } from "../../../support/planted-table.ts";
import type { Api } from "../api.ts";

type Report = api.Page<ImportedTable>;
const INTO = { into: "copies" };

async function rest(firn: Firn, method: string, path: string, body?: unknown): Promise<void> {
  const response = await firn.fetch(
    new Request(`http://firn/iceberg/v1${path}`, {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  if (response.status >= 300) throw new Error(await response.text());
}

/** Tables of another catalog, which is a second Firn with a socket. */
export function describeImports(served: () => Api): void {
  describe("imports from another Iceberg REST catalog", () => {
    const other: Other = { directory: "", firn: undefined as unknown as Firn };

    beforeAll(async () => {
      other.directory = mkdtempSync(join(tmpdir(), "firn-import-"));
      other.firn = await Firn.open({ profile: "memory", logLevel: "silent", listen: { port: 0 } });
      await plantOther(other);
      await served().done("POST", "/catalogs", { name: "copies" });
      const uri = `${other.firn.url}/iceberg`;
      await served().done("POST", "/connectors", { name: "other", kind: "ICEBERG_REST", uri });
    });
    afterAll(async () => {
      await other.firn.close();
      rmSync(other.directory, { recursive: true, force: true });
    });
    imports(served, other);
    signsIn(served, other);
    refuses(served);
  });
}

interface Other {
  directory: string;
  firn: Firn;
}

async function plantOther({ firn, directory }: Other): Promise<void> {
  for (const namespace of [["a"], ["a", "b.c"], ["z"]]) {
    await rest(firn, "POST", "/namespaces", { namespace });
  }
  for (const [path, name, version] of [
    ["a", "one", "v1"],
    ["a", "two", "v2"],
    [`a${encodeURIComponent("\u001f")}b.c`, "deep", "v1"],
    ["z", "last", "v2"],
  ] as const) {
    const location = plantTable(version, join(directory, name));
    const body = { name, "metadata-location": location };
    await rest(firn, "POST", `/namespaces/${path}/register`, body);
  }
}

const outcomes = ({ items }: Report) =>
  items.map(({ namespace, name, outcome }) => [[...namespace, name].join("/"), outcome]);

function imports(served: () => Api, other: Other): void {
  const run = (body: object, query = "") =>
    served().done<Report>("POST", `/connectors/other:import${query}`, body);

  it("checks a connector, and tells what an import would do", async () => {
    const checked = await served().done("POST", "/connectors/other:check");
    expect(checked).toEqual({ namespaces: 3 });
    const told = await run({ ...INTO, preview: true });
    expect(outcomes(told).map(([, outcome]) => outcome)).toEqual(Array(4).fill("registered"));
    const made = await served().done<api.Page<api.Summary>>("GET", "/catalogs/copies/namespaces");
    expect(made.items).toEqual([]);
  });

  it("registers tables page by page, and is repeatable", async () => {
    const names: unknown[] = [];
    let pages = 0;
    for (let token = ""; ; pages++) {
      const page = await run(INTO, `?pageSize=3${token}`);
      names.push(...outcomes(page));
      if (page.nextPageToken === undefined) break;
      token = `&pageToken=${page.nextPageToken}`;
    }
    expect(pages).toBe(1);
    expect(names).toEqual([
      ["a/one", "registered"],
      ["a/two", "registered"],
      ["a/b.c/deep", "registered"],
      ["z/last", "registered"],
    ]);
    const again = await run(INTO);
    expect(outcomes(again).map(([, outcome]) => outcome)).toEqual(Array(4).fill("unchanged"));
    const path = "/catalogs/copies/namespaces/a.b%252Ec".replace("%252E", "%2E");
    const deep = await served().done<api.Table>("GET", `${path}/tables/deep`);
    expect(deep).toMatchObject({ format: "ICEBERG", namespace: ["a", "b.c"] });
  });

  it("leaves a table that has gone on there as it is, unless it is to be replaced", async () => {
    const updates = [{ action: "set-properties", updates: { owner: "ann" } }];
    const commit = { requirements: [], updates };
    await rest(other.firn, "POST", "/namespaces/a/tables/one", commit);
    const left = await run({ ...INTO, namespaces: [["a"]] });
    expect(outcomes(left)).toEqual([
      ["a/one", "exists"],
      ["a/two", "unchanged"],
      ["a/b.c/deep", "unchanged"],
    ]);
    const moved = await run({ ...INTO, replace: true, namespaces: [["a"]] });
    expect(outcomes(moved)[0]).toEqual(["a/one", "replaced"]);
    const again = await run({ ...INTO, replace: true, namespaces: [["a"]] });
    expect(outcomes(again)[0]).toEqual(["a/one", "unchanged"]);
  });

  it("imports in the background, and tells in its job what became of it", async () => {
    await served().done("POST", "/catalogs", { name: "behind" });
    const moved = { name: "away", kind: "GLUE", uri: "https://glue" };
    await served().done("POST", "/connectors", moved);
    for (const [connector, body, code] of [
      ["none", { into: "behind" }, "CONNECTOR_NOT_FOUND"],
      ["other", { into: "none" }, "CATALOG_NOT_FOUND"],
      ["away", { into: "behind" }, "CONNECTOR_KIND_UNSUPPORTED"],
      ["other", { into: "behind", credentials: { token: "x" } }, "REQUEST_INVALID"],
    ] as const) {
      const refused = await served().refused("POST", `/connectors/${connector}/imports`, body);
      expect(refused.code).toBe(code);
    }
    const path = "/connectors/other/imports";
    const begun = await served().ask("POST", path, INTO);
    const { id, kind, target } = begun.body as api.Job;
    expect([begun.status, kind, target.type]).toEqual([202, "import", "connector"]);
    expect(begun.headers.get("location")).toBe(`/api/v1/jobs/${id}`);
    const over = () => served().done<api.Job>("GET", `/jobs/${id}`);
    await expect.poll(async () => (await over()).state, PATIENCE.expect.poll).toBe("over");
    // Two are as they were, one has gone on here, and one there.
    expect(await over()).toMatchObject({
      progress: { done: 4, total: 4, unit: "tables" },
      leftUndone: 0,
    });
  });

  it("says of each table why it failed, and goes on with the others", async () => {
    const location = plantTable("v1", join(other.directory, "lost"));
    await rest(other.firn, "POST", "/namespaces/z/register", {
      name: "early",
      "metadata-location": location,
    });
    // The remote catalog keeps what it has read of the file; here it is missing.
    rmSync(join(other.directory, "lost", "v1", "metadata"), { recursive: true });
    const { items } = await run({ ...INTO, namespaces: [["z"]] });
    expect(items.map(({ name, outcome }) => [name, outcome])).toEqual([
      ["early", "failed"],
      ["last", "unchanged"],
    ]);
    expect(items[0]?.code).toMatch(/^[A-Z_]+$/);
  });
}

const CLIENT = { clientId: "importer", clientSecret: "s3cr3t-of-the-client" };
const GIVEN = "given-t0ken-of-the-catalog";

/** The other catalog behind a door that opens to a token, which a client's secret is worth. */
async function guarded({ firn }: Other, seen: string[]): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const url = request.url ?? "";
    seen.push(`${request.method} ${url} ${request.headers.authorization ?? "-"} ${body}`);
    if (request.method === "POST") {
      const form = new URLSearchParams(body);
      const isKnown =
        form.get("client_id") === CLIENT.clientId &&
        form.get("client_secret") === CLIENT.clientSecret &&
        form.get("grant_type") === "client_credentials" &&
        form.get("scope") === "catalog";
      response.writeHead(isKnown ? 200 : 401);
      response.end(JSON.stringify(isKnown ? { access_token: GIVEN } : { error: CLIENT }));
      return;
    }
    if (request.headers.authorization !== `Bearer ${GIVEN}`) {
      response.writeHead(401).end(`{"error":"${request.headers.authorization}"}`);
      return;
    }
    const answer = await firn.fetch(new Request(`http://firn/iceberg${url}`));
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function signsIn(served: () => Api, other: Other): void {
  const seen: string[] = [];
  let server: Server;
  const at = "/connectors/guarded";

  beforeAll(async () => {
    server = await guarded(other, seen);
    const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await served().done("POST", "/connectors", { name: "guarded", kind: "ICEBERG_REST", uri });
  });
  afterAll(() => void server.close());

  it.each([
    ["a token", { token: GIVEN }],
    ["a client and its secret", CLIENT],
  ])("imports with %s, and keeps nothing of it", async (_what, credentials) => {
    const without = await served().refused("POST", `${at}:check`, {});
    expect(without.code).toBe("CONNECTOR_REFUSED");
    const checked = await served().done("POST", `${at}:check`, { credentials });
    expect(checked).toEqual({ namespaces: 3 });
    const body = { ...INTO, replace: true, namespaces: [["a"]], credentials };
    const { items } = await served().done<Report>("POST", `${at}:import`, body);
    expect(items.map(({ outcome }) => outcome)).not.toContain("failed");
    expect(items).toHaveLength(3);
    const kept = await Promise.all(
      [at, `${at}/versions`, "/changes", "/jobs"].map((path) => served().ask("GET", path)),
    );
    const all = kept.map(({ text: told }) => told).join("\n");
    for (const secret of [GIVEN, CLIENT.clientSecret]) expect(all).not.toContain(secret);
    const asked = seen.filter((line) => line.startsWith("GET") && line.includes("/namespaces"));
    expect(asked.filter((line) => !line.includes(`Bearer ${GIVEN}`))).toEqual([]);
  });

  it("repeats no secret when it is refused", async () => {
    const secret = "wr0ng-s3cr3t";
    for (const [credentials, code] of [
      [{ token: secret }, "CONNECTOR_REFUSED"],
      [{ ...CLIENT, clientSecret: secret }, "CREDENTIALS_REFUSED"],
      [{ token: `${secret}\r\nHost: elsewhere` }, "CREDENTIALS_INVALID"],
      [{ token: `${secret}ß` }, "CREDENTIALS_INVALID"],
      [{ clientSecret: secret }, "CREDENTIALS_INVALID"],
      [{ clientId: "a" }, "CREDENTIALS_INVALID"],
      [{ token: secret, clientId: "a" }, "CREDENTIALS_INVALID"],
      [{}, "CREDENTIALS_INVALID"],
      [{ ...CLIENT, tokenUri: "http://10.0.0.1/token" }, "CONNECTOR_URI_INVALID"],
      [{ ...CLIENT, tokenUri: `https://a:${secret}@b/token` }, "CONNECTOR_URI_INVALID"],
      [{ token: secret, other: secret }, "REQUEST_INVALID"],
      [{ token: [secret] }, "REQUEST_INVALID"],
    ] as const) {
      for (const verb of ["check", "import"]) {
        const body = verb === "check" ? { credentials } : { ...INTO, credentials };
        const { status, text: told } = await served().ask("POST", `${at}:${verb}`, body);
        expect([status, told]).toEqual([400, expect.stringContaining(`"${code}"`)]);
        expect(told).not.toContain(secret);
        expect(told).not.toContain(CLIENT.clientSecret);
      }
    }
  });
}

/** A server that answers every request so; and how often it was asked. */
async function serverOf(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly server: Server; readonly uri: string; readonly paths: string[] }> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { server, uri: `http://127.0.0.1:${port}`, paths };
}

function refuses(served: () => Api): void {
  let count = 0;
  async function refused(uri: string, kind = "ICEBERG_REST") {
    const name = `bad-${count++}`;
    await served().done("POST", "/connectors", { name, kind, uri });
    const problem = await served().refused("POST", `/connectors/${name}:check`);
    const same = await served().refused("POST", `/connectors/${name}:import`, INTO);
    expect([problem.status, same.code]).toEqual([400, problem.code]);
    return problem.code;
  }

  it.each([
    "http://10.0.0.1/iceberg",
    "http://169.254.169.254/latest",
    "http://127.0.0.1.nip.io/",
    "http://[::ffff:10.0.0.1]/",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "s3://bucket/path",
    "https://catalog/?a=b",
    "not a uri",
  ])("asks nothing of %s", async (uri) => {
    expect(await refused(uri)).toBe("CONNECTOR_URI_INVALID");
  });

  it("follows no redirect, and trusts no answer", async () => {
    const target = await serverOf(200, "{}");
    const moved = await serverOf(302, "", { Location: target.uri });
    expect(await refused(moved.uri)).toBe("CONNECTOR_UNREACHABLE");
    expect(target.paths).toEqual([]);
    for (const [status, body, code] of [
      [500, "{}", "CONNECTOR_REFUSED"],
      [401, "", "CONNECTOR_REFUSED"],
      [200, "<html>", "CONNECTOR_ANSWER_INVALID"],
      [200, "[]", "CONNECTOR_ANSWER_INVALID"],
      [200, '{"overrides":{"prefix":"../../x"}}', "CONNECTOR_ANSWER_INVALID"],
      [200, '{"defaults":{"namespace-separator":"/"}}', "CONNECTOR_ANSWER_INVALID"],
      [200, '{"namespaces":[["a"]],"next-page-token":"1"}', "CONNECTOR_ANSWER_INVALID"],
    ] as const) {
      const bad = await serverOf(status, body);
      expect([body, await refused(bad.uri)]).toEqual([body, code]);
      bad.server.close();
    }
    for (const { server } of [target, moved]) server.close();
    expect(await refused(moved.uri)).toBe("CONNECTOR_UNREACHABLE");
  });

  it("asks connectors of Iceberg catalogs alone", async () => {
    expect(await refused("https://glue", "GLUE")).toBe("CONNECTOR_KIND_UNSUPPORTED");
    const none = await served().refused("POST", "/connectors/none:import", INTO);
    expect(none.code).toBe("CONNECTOR_NOT_FOUND");
    const into = await served().refused("POST", "/connectors/other:import", { into: "none" });
    expect([into.status, into.code]).toEqual([404, "CATALOG_NOT_FOUND"]);
  });
}
