import { join } from "node:path";
import { plantTable } from "../../support/planted-table.ts";
import { OF_STORAGE } from "./of-storage.ts";
import { COLLECTIONS } from "./sound-rows.ts";
import { CALM } from "./sound-session.ts";

type Post = (path: string, body: object) => Promise<void>;

/** What is there already is refused, and stays. */
function poster(url: string): Post {
  return async (path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    await response.text();
  };
}

const SCHEMA = { type: "struct", fields: [] };

/** What requests at random are about: also what only Iceberg clients make. */
export async function makeRelations(url: string): Promise<void> {
  const post = poster(url);
  await post("/api/v1/catalogs", { name: "lake" });
  await post("/api/v1/connectors", { name: "c", kind: "GLUE", uri: "https://glue" });
  const stored = { ...OF_STORAGE, name: "p", roots: ["s3://kept/p"] };
  await post("/api/v1/storage-profiles?skipCheck=true", stored);
  await post("/api/v1/principals", { name: "p" });
  await post("/api/v1/roles", { name: "role" });
  await makeTables(post, "lake", "a");
}

/** What sessions are about, which nothing else drops or changes. */
export async function makeCalm(url: string, directory: string): Promise<void> {
  const { catalog, namespace } = CALM;
  const post = poster(url);
  await post("/api/v1/catalogs", { name: catalog });
  await makeTables(post, catalog, namespace);
  for (const name of ["renamed", "dropped"]) {
    await post(`/iceberg/v1/${catalog}/namespaces/${namespace}/views`, viewOf(name, namespace));
  }
  const location = plantTable("v2", join(directory, "warehouse", catalog, "planted"));
  const planted = { name: "planted", "metadata-location": location };
  await post(`/iceberg/v1/${catalog}/namespaces/${namespace}/register`, planted);
  const at = `/api/v1/catalogs/${catalog}/namespaces/${namespace}`;
  for (const { kind, name } of Object.values(COLLECTIONS)) await post(`${at}/${kind}`, { name });
}

/** A table with a snapshot, one of rows, and a view. */
async function makeTables(post: Post, catalog: string, namespace: string): Promise<void> {
  const iceberg = `/iceberg/v1/${catalog}/namespaces`;
  await post(iceberg, { namespace: [namespace] });
  await post(`${iceberg}/${namespace}/tables`, { name: "t", schema: SCHEMA });
  const snapshot = {
    "snapshot-id": 17,
    "sequence-number": 1,
    "timestamp-ms": Date.now(),
    "manifest-list": "s3://elsewhere/list.avro",
    summary: { operation: "append" },
    "schema-id": 0,
  };
  const main = { "ref-name": "main", type: "branch", "snapshot-id": 17 };
  await post(`${iceberg}/${namespace}/tables/t`, {
    requirements: [{ type: "assert-ref-snapshot-id", ref: "main", "snapshot-id": null }],
    updates: [
      { action: "add-snapshot", snapshot },
      { action: "set-snapshot-ref", ...main },
    ],
  });
  const statement = `create table if not exists ${namespace}.r (a text primary key, b text)`;
  await post("/api/v1/sql", { statement, catalog });
  await post(`${iceberg}/${namespace}/views`, viewOf("v", namespace));
}

function viewOf(name: string, namespace: string): object {
  return {
    name,
    schema: SCHEMA,
    "view-version": {
      "version-id": 1,
      "schema-id": 0,
      "timestamp-ms": 1_700_000_000_000,
      summary: {},
      representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
      "default-namespace": [namespace],
    },
    properties: {},
  };
}
