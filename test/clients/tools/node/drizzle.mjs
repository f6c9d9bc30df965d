import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { and, count, desc, eq, gt, ilike, inArray, relations, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { spaced, step } from "./transcript.mjs";

/** Drizzle: drizzle-kit push, generate, migrate and pull; queries and relations of drizzle-orm. */

const folder = mkdtempSync(join(import.meta.dirname, ".drizzle-"));
const kit = join(dirname(createRequire(import.meta.url).resolve("drizzle-kit")), "bin.cjs");
const address = `postgresql://${process.env["PGUSER"]}@${process.env["PGHOST"]}:${process.env["PGPORT"]}/${process.env["PGDATABASE"]}`;

const FIRST = `
import { sql } from "drizzle-orm";
import {
  bigint, boolean, check, date, doublePrecision, index, integer, jsonb, numeric, pgEnum, pgSchema,
  pgTable, pgView, primaryKey, serial, text, timestamp, unique, uniqueIndex, uuid, varchar,
} from "drizzle-orm/pg-core";
export const mood = pgEnum("mood", ["calm", "busy"]);
export const users = pgTable("users", {
  id: serial().primaryKey(),
  name: varchar({ length: 50 }).notNull(),
  email: text().unique(),
  mood: mood().default("calm").notNull(),
  born: date(),
  tags: text().array().default(sql\`'{}'::text[]\`).notNull(),
  made: timestamp({ withTimezone: true }).defaultNow().notNull(),
}, (t) => [
  index("users_name").on(t.name, t.email.desc()),
  uniqueIndex("users_lower").on(sql\`lower(\${t.name})\`),
]);
export const posts = pgTable("posts", {
  id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity({ startWith: 10 }),
  authorId: integer("author_id").references(() => users.id, { onDelete: "cascade" }),
  title: text().notNull().default("none"),
  price: numeric({ precision: 10, scale: 2 }),
  extra: jsonb().default({}),
  key: uuid().defaultRandom(),
  score: doublePrecision(),
  isOpen: boolean("is_open").default(true),
}, (t) => [
  unique("posts_once").on(t.authorId, t.title),
  check("posts_price", sql\`\${t.price} >= 0\`),
]);
export const votes = pgTable("votes", {
  postId: bigint("post_id", { mode: "number" }).notNull().references(() => posts.id),
  userId: integer("user_id").notNull().references(() => users.id),
}, (t) => [primaryKey({ columns: [t.postId, t.userId] })]);
export const side = pgSchema("side");
export const notes = side.table("notes", { id: integer().primaryKey(), note: text() });
`;
const SECOND = FIRST.replace("length: 50", "length: 90")
  .replace("born: date(),", "born: date(), level: integer().default(1).notNull(),")
  .replace("score: doublePrecision(),", "score: numeric(),")
  .replace('["calm", "busy"]', '["calm", "busy", "gone"]');

writeFileSync(join(folder, "schema.ts"), FIRST);
writeFileSync(
  join(folder, "config.ts"),
  `export default { dialect: "postgresql", schema: "./schema.ts", out: "./out",
    schemaFilter: ["public", "side"], dbCredentials: { url: "${address}" } };`,
);

/** What a command of drizzle-kit did; what it printed where it failed. */
function run(...args) {
  const options = { encoding: "utf8", cwd: folder, timeout: 120_000 };
  const config = `--config=${join(folder, "config.ts")}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [kit, ...args, config], options);
  const printed = `${stdout}${stderr}`;
  if (status !== 0 || /\berror:/i.test(printed)) throw new Error(printed.slice(-1_500));
  return printed.trim().split("✓").at(-1)?.replaceAll(folder, "") ?? "";
}

/** What `pull` wrote, without the number that it begins its files with. */
function pulled() {
  const out = join(folder, "out");
  const [file = ""] = readdirSync(out).filter((name) => name.endsWith(".sql"));
  const schema = readFileSync(join(out, "schema.ts"), "utf8");
  const text = readFileSync(join(out, file), "utf8");
  rmSync(out, { recursive: true });
  // Tables come in the order in which the server lists them.
  const sorted = (lines) => lines.split("\n").map(spaced).sort();
  const [imports = "", ...others] = schema.split(/(?<=orm\/pg-core")/);
  return {
    imports: imports.match(/\w+/g)?.sort(),
    schema: sorted(others.join()),
    sql: sorted(text),
  };
}

await step("pushes a schema", () => run("push", "--force"));
await step("finds nothing left to push", () => run("push", "--force"));
await step("pulls the schema", () => {
  const printed = run("pull");
  return { printed, ...pulled() };
});
await step("pushes a changed schema", () => {
  writeFileSync(join(folder, "schema.ts"), SECOND);
  return [run("push", "--force"), run("push", "--force")];
});

const tables = await import(pathToFileURL(join(folder, "schema.ts")).href);
const { users, posts, votes, notes } = tables;
const usersOf = relations(users, ({ many }) => ({ posts: many(posts) }));
const postsOf = relations(posts, ({ one, many }) => ({
  author: one(users, { fields: [posts.authorId], references: [users.id] }),
  votes: many(votes),
}));
const votesOf = relations(votes, ({ one }) => ({
  post: one(posts, { fields: [votes.postId], references: [posts.id] }),
  user: one(users, { fields: [votes.userId], references: [users.id] }),
}));
const pool = new pg.Pool({ max: 2 });
const db = drizzle(pool, { schema: { users, posts, votes, usersOf, postsOf, votesOf } });

await step("inserts", async () => {
  const made = await db
    .insert(users)
    .values([
      { name: "Ada", email: "ada@x", born: "1815-12-10", tags: ["größer", 'a "b", c', ""] },
      { name: "Bob", email: "bob@x", mood: "gone" },
    ])
    .returning({ id: users.id, tags: users.tags, mood: users.mood, level: users.level });
  const some = await db
    .insert(posts)
    .values([1, 2, 3].map((i) => ({ authorId: 1, title: `p${i}`, price: `${i}.5`, extra: { i } })))
    .returning({ id: posts.id, price: posts.price, extra: posts.extra, isOpen: posts.isOpen });
  await db.insert(votes).values(some.map(({ id }) => ({ postId: id, userId: 2 })));
  await db.insert(notes).values({ id: 1, note: "n" });
  return { made, some, notes: await db.select().from(notes) };
});

await step("upserts, updates and deletes", async () => ({
  upserted: await db
    .insert(users)
    .values({ name: "Ada 2", email: "ada@x" })
    .onConflictDoUpdate({ target: users.email, set: { level: sql`${users.level} + 4` } })
    .returning({ level: users.level }),
  nothing: (await db.insert(users).values({ name: "x", email: "bob@x" }).onConflictDoNothing())
    .rowCount,
  updated: await db
    .update(posts)
    .set({ score: "2.5" })
    .where(gt(posts.price, "2"))
    .returning({ t: posts.title }),
  deleted: (await db.delete(votes).where(eq(votes.postId, 12))).rowCount,
}));

await step("queries", async () => ({
  joined: await db
    .select({ name: users.name, title: posts.title })
    .from(users)
    .leftJoin(posts, eq(posts.authorId, users.id))
    .orderBy(users.id, desc(posts.id)),
  grouped: await db
    .select({ name: users.name, n: count(posts.id), total: sql`sum(${posts.price})` })
    .from(users)
    .innerJoin(posts, eq(posts.authorId, users.id))
    .groupBy(users.id)
    .having(({ n }) => gt(n, 1)),
  filtered: await db
    .select({ id: users.id })
    .from(users)
    .where(and(ilike(users.name, "%A%"), inArray(users.mood, ["calm", "busy"]))),
  related: await db.query.users.findMany({
    orderBy: (user, { asc }) => [asc(user.id)],
    columns: { name: true },
    with: {
      posts: {
        columns: { title: true, extra: true },
        where: (post, { ne }) => ne(post.title, "p1"),
        orderBy: (post, { asc }) => [asc(post.id)],
        with: { votes: { with: { user: { columns: { name: true } } } } },
      },
    },
  }),
  first: await db.query.posts
    .findFirst({ columns: { title: true }, with: { author: true }, orderBy: posts.id })
    .then((post) => [post.title, post.author.name]),
  counted: await db.$count(posts, gt(posts.price, "2")),
}));

await step("takes a transaction back", async () => {
  const failed = await db
    .transaction(async (on) => {
      await on.delete(votes);
      await on.transaction(async (inner) =>
        inner.insert(users).values({ name: "y", email: "ada@x" }),
      );
    })
    .catch((error) => [error.cause?.code ?? error.code, error.cause?.constraint]);
  return { failed, votes: await db.$count(votes) };
});

await step("prepares", async () => {
  const prepared = db
    .select({ name: users.name })
    .from(users)
    .where(eq(users.id, sql.placeholder("id")))
    .prepare("by_id");
  return [await prepared.execute({ id: 1 }), await prepared.execute({ id: 2 })];
});

await step("generates migrations and runs them", async () => {
  await db.execute(sql`DROP SCHEMA side CASCADE`);
  for (const name of ["votes", "posts", "users"]) await db.execute(sql.raw(`DROP TABLE ${name}`));
  await db.execute(sql`DROP TYPE mood`);
  writeFileSync(join(folder, "schema.ts"), FIRST);
  run("generate", "--name=first");
  await migrate(db, { migrationsFolder: join(folder, "out") });
  writeFileSync(join(folder, "schema.ts"), SECOND);
  run("generate", "--name=second");
  const printed = run("migrate");
  const { rows } = await db.execute(
    sql`SELECT count(*)::int AS n FROM drizzle.__drizzle_migrations`,
  );
  return { printed, rows, left: run("push", "--force") };
});
await pool.end();
rmSync(folder, { recursive: true });
