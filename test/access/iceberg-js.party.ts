import { IcebergRestCatalog, type IcebergRestCatalogOptions } from "iceberg-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, type ClockedServer, openClockedServer } from "./clocked-server.ts";

/* iceberg-js with credentials. It gets no tokens itself: its caller gives one, or a function. */

const LIFETIME_MS = 300_000;
const NAMESPACE = { namespace: ["js"] };
const TABLE = { namespace: ["js"], name: "t" };

let server: ClockedServer;

beforeAll(async () => {
  server = await openClockedServer();
});
afterAll(() => server.close());

function connect(auth: NonNullable<IcebergRestCatalogOptions["auth"]>): IcebergRestCatalog {
  return new IcebergRestCatalog({ baseUrl: `${server.url}/iceberg`, warehouse: "default", auth });
}

async function token(): Promise<string> {
  const form = { grant_type: "client_credentials", client_secret: ADMIN_KEY };
  const body = new URLSearchParams(form);
  const answer = await fetch(`${server.url}/iceberg/v1/oauth/tokens`, { method: "POST", body });
  const { access_token } = (await answer.json()) as { access_token: string };
  return access_token;
}

/** A function that makes a token when it has none, as an application would write it. */
function renewing() {
  let held: string | undefined;
  return {
    forget: () => {
      held = undefined;
    },
    getHeaders: async () => {
      held ??= await token();
      return { authorization: `Bearer ${held}` };
    },
  };
}

const advance = (ms: number) => fetch(`${server.clockUrl}?ms=${ms}`, { method: "POST" });

async function count(catalog: IcebergRestCatalog, value: string): Promise<void> {
  const updates = [{ action: "set-properties", updates: { count: value } }] as const;
  await catalog.commitTable(TABLE, { requirements: [], updates: [...updates] });
  expect((await catalog.loadTable(TABLE)).properties).toMatchObject({ count: value });
}

describe("iceberg-js", () => {
  it("works with a key, with a token until it ends, and with tokens that are renewed", async () => {
    const byKey = connect({ type: "bearer", token: ADMIN_KEY });
    const byToken = connect({ type: "bearer", token: await token() });
    const source = renewing();
    const renewed = connect({ type: "custom", getHeaders: source.getHeaders });
    await byKey.createNamespace(NAMESPACE);
    const depth = { id: 1, name: "depth", type: "long", required: false };
    await byToken.createTable(NAMESPACE, {
      name: TABLE.name,
      schema: { type: "struct", fields: [depth] },
    });
    await count(renewed, "1");
    await advance(LIFETIME_MS + 1_000);
    const ended = { status: 401, icebergType: "NotAuthorizedException" };
    await expect(byToken.loadTable(TABLE)).rejects.toMatchObject(ended);
    await expect(renewed.loadTable(TABLE)).rejects.toMatchObject(ended);
    source.forget();
    await count(renewed, "2");
    await count(byKey, "3");
    await renewed.dropTable(TABLE, { purge: true });
    await byKey.dropNamespace(NAMESPACE);
  });

  it("is refused with a wrong key, and with none", async () => {
    const wrong = connect({ type: "bearer", token: `${ADMIN_KEY}x` });
    for (const stranger of [wrong, connect({ type: "none" })]) {
      await expect(stranger.listNamespaces()).rejects.toMatchObject({ status: 401 });
    }
  });
});
