import { Kysely, Migrator, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { step } from "./transcript.mjs";

/** Kysely: migrations up and down, its query builder, and its introspection. */

const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ max: 3 }) }) });

const migrations = {
  "1_first": {
    async up(on) {
      await on.schema
        .createTable("people")
        .addColumn("id", "integer", (column) => column.primaryKey().generatedByDefaultAsIdentity())
        .addColumn("name", "varchar(50)", (column) => column.notNull().unique())
        .addColumn("born", "timestamptz")
        .addColumn("doc", "jsonb", (column) => column.defaultTo(sql`'{}'::jsonb`).notNull())
        .execute();
      await on.schema.createType("kind").asEnum(["cat", "dog"]).execute();
      await on.schema
        .createTable("pets")
        .ifNotExists()
        .addColumn("id", "bigserial", (column) => column.primaryKey())
        .addColumn("owner_id", "integer", (column) =>
          column.references("people.id").onDelete("set null"),
        )
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("kind", sql`kind`, (column) => column.notNull())
        .addColumn("words", sql`text[]`, (column) => column.notNull().defaultTo(sql`'{}'`))
        .addUniqueConstraint("pets_owner_name", ["owner_id", "name"])
        .addCheckConstraint("pets_name", sql`length(name) > 1`)
        .execute();
      await on.schema.createIndex("pets_kind").on("pets").columns(["kind", "name desc"]).execute();
    },
    async down(on) {
      await on.schema.dropTable("pets").execute();
      await on.schema.dropType("kind").execute();
      await on.schema.dropTable("people").cascade().execute();
    },
  },
  "2_second": {
    async up(on) {
      await on.schema
        .alterTable("people")
        .addColumn("rank", "integer", (column) => column.notNull().defaultTo(3))
        .alterColumn("name", (column) => column.setDataType("varchar(80)"))
        .execute();
      await on.schema.alterTable("people").renameColumn("born", "since").execute();
      await on.schema.alterTable("people").renameColumn("since", "born").execute();
      await on.schema.alterTable("pets").dropConstraint("pets_name").execute();
      await on.schema
        .createView("cats")
        .as(on.selectFrom("pets").select(["id", "name"]).where("kind", "=", sql`'cat'`))
        .execute();
    },
    async down(on) {
      await on.schema.dropView("cats").execute();
      await on.schema.alterTable("people").dropColumn("rank").execute();
    },
  },
};

const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });

await step("migrates", async () => (await migrator.migrateToLatest()).results);
await step("knows its migrations", async () =>
  (await migrator.getMigrations()).map(({ name, executedAt }) => [name, executedAt !== undefined]),
);

await step("introspects", async () => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return { schemas: (await db.introspection.getSchemas()).map(({ name }) => name).sort(), tables };
});

await step("inserts", async () => {
  const people = await db
    .insertInto("people")
    .values([
      { name: "Ada", born: new Date("2026-02-03T04:05:06.789Z"), doc: JSON.stringify({ a: [1] }) },
      { name: "Bob", born: null, doc: "{}" },
    ])
    .returningAll()
    .execute();
  const pets = await db
    .insertInto("pets")
    .values([
      { owner_id: people[0]?.id, name: "Tom", kind: "cat", words: ["größer", 'a "b", c', ""] },
      { owner_id: people[0]?.id, name: "Rex", kind: "dog", words: [] },
    ])
    .returning(["id", "words"])
    .execute();
  return { people, pets };
});

await step("upserts", async () =>
  db
    .insertInto("people")
    .values({ name: "Ada", doc: "{}", rank: 9 })
    .onConflict((on) => on.column("name").doUpdateSet((eb) => ({ rank: eb.ref("excluded.rank") })))
    .returning(["name", "rank"])
    .executeTakeFirst(),
);

await step("joins, aggregates and queries below", async () => ({
  joined: await db
    .selectFrom("people as p")
    .leftJoin("pets", "pets.owner_id", "p.id")
    .select(["p.name", "pets.name as pet"])
    .orderBy("p.name")
    .orderBy("pets.name")
    .execute(),
  counted: await db
    .selectFrom("people")
    .innerJoin("pets", "owner_id", "people.id")
    .groupBy("people.name")
    .having((eb) => eb(eb.fn.countAll(), ">", 1))
    .select(({ fn }) => ["people.name", fn.count("pets.id").as("n"), fn.max("pets.name").as("m")])
    .execute(),
  nested: await db
    .selectFrom("people")
    .select((eb) => [
      "name",
      eb
        .selectFrom("pets")
        .whereRef("owner_id", "=", "people.id")
        .select(sql`json_agg(json_build_object('n', pets.name) order by pets.name)`.as("j"))
        .as("pets"),
    ])
    .orderBy("name")
    .execute(),
  recursive: await db
    .withRecursive("n(v)", (on) =>
      on
        .selectNoFrom(sql`1`.as("v"))
        .unionAll(on.selectFrom("n").select(sql`v + 1`.as("v")).where(sql`v < 4`)),
    )
    .selectFrom("n")
    .select(sql`v`.as("v"))
    .execute(),
  windows: await db
    .selectFrom("pets")
    .select(({ fn }) => [
      "name",
      fn
        .agg("row_number")
        .over((o) => o.orderBy("name"))
        .as("r"),
    ])
    .orderBy("name")
    .execute(),
  lateral: await db
    .selectFrom("people")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("pets")
          .whereRef("owner_id", "=", "people.id")
          .select("name as last")
          .orderBy("name", "desc")
          .limit(1)
          .as("l"),
      (join) => join.onTrue(),
    )
    .select(["people.name", "l.last"])
    .execute(),
  exists: await db
    .selectFrom("people")
    .where((eb) =>
      eb.exists(eb.selectFrom("pets").whereRef("owner_id", "=", "people.id").select("id")),
    )
    .select("name")
    .execute(),
  json: await db
    .selectFrom("people")
    .select(sql`doc -> 'a' ->> 0`.as("v"))
    .where("name", "=", "Ada")
    .execute(),
}));

await step("changes in a transaction, and takes one back", async () => {
  await db
    .transaction()
    .setIsolationLevel("serializable")
    .execute(async (on) => {
      await on
        .updateTable("people")
        .set({ rank: sql`rank + 1` })
        .where("name", "=", "Bob")
        .execute();
    });
  const failed = await db
    .transaction()
    .execute(async (on) => {
      await on.deleteFrom("people").execute();
      await on.insertInto("people").values({ name: null }).execute();
    })
    .catch((error) => [error.code, error.column]);
  const controlled = await db.startTransaction().execute();
  const saved = await controlled.savepoint("s").execute();
  await saved.deleteFrom("pets").execute();
  await saved.rollbackToSavepoint("s").execute();
  await saved.commit().execute();
  const left = await db.selectFrom("people").select(["name", "rank"]).orderBy("name").execute();
  return {
    failed,
    left,
    pets: await db.selectFrom("pets").select("name").orderBy("name").execute(),
  };
});

await step("merges, deletes and counts rows", async () => {
  const merged = await db
    .mergeInto("people")
    .using("pets", "pets.name", "people.name")
    .whenNotMatched()
    .thenInsertValues(({ ref }) => ({ name: ref("pets.name"), rank: 1 }))
    .executeTakeFirst();
  const deleted = await db
    .deleteFrom("pets")
    .using("people")
    .whereRef("owner_id", "=", "people.id")
    .where("kind", "=", sql`'dog'`)
    .executeTakeFirst();
  return { merged, deleted };
});

await step("streams", async () => {
  const names = [];
  for (const { name } of await db.selectFrom("people").select("name").orderBy("name").execute())
    names.push(name);
  return names;
});

await step(
  "explains",
  async () => (await db.selectFrom("people").selectAll().explain()).length > 0,
);
await step("migrates back", async () => {
  const down = [await migrator.migrateDown(), await migrator.migrateDown()];
  const left = await db.introspection.getTables();
  return { down: down.map(({ results }) => results), left: left.map(({ name }) => name) };
});
await db.destroy();
