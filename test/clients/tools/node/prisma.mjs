import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { step } from "./transcript.mjs";

/** Prisma: db push, pull and execute, migrate dev, deploy, status and reset; the client. */

const here = import.meta.dirname;
const folder = mkdtempSync(join(here, ".prisma-"));
const program = createRequire(import.meta.url).resolve("prisma/build/index.js");
const { PGUSER, PGHOST, PGPORT, PGDATABASE } = process.env;
const address = (name) => `postgresql://${PGUSER}@${PGHOST}:${PGPORT}/${name}`;
const url = address(PGDATABASE);

const FIRST = `
generator client {
  provider = "prisma-client"
  output   = "./client"
  generatedFileExtension = "ts"
  importFileExtension    = "ts"
}
datasource db {
  provider = "postgresql"
  schemas  = ["public", "side"]
}
enum Mood {
  calm
  busy
  @@schema("public")
}
model User {
  id     Int       @id @default(autoincrement())
  email  String    @unique
  name   String?   @db.VarChar(50)
  mood   Mood      @default(calm)
  tags   String[]  @default(["new"])
  born   DateTime? @db.Date
  made   DateTime  @default(now())
  posts  Post[]
  labels Label[]
  profile Profile?
  @@index([name, email(sort: Desc)])
  @@schema("public")
}
model Profile {
  userId Int    @id
  bio    String
  user   User   @relation(fields: [userId], references: [id], onDelete: Cascade)
  @@schema("public")
}
model Post {
  id       BigInt   @id @default(autoincrement())
  key      String   @unique @default(dbgenerated("gen_random_uuid()")) @db.Uuid
  title    String   @db.VarChar(80)
  price    Decimal  @default(0) @db.Decimal(10, 2)
  score    Float?
  level    Int      @default(1) @db.SmallInt
  isOpen   Boolean  @default(true) @map("is_open")
  extra    Json?
  bytes    Bytes?
  at       DateTime @default(now()) @db.Timestamptz(6)
  authorId Int      @map("author_id")
  author   User     @relation(fields: [authorId], references: [id], onDelete: Restrict)
  @@unique([authorId, title])
  @@map("posts")
  @@schema("public")
}
model Label {
  name  String @id
  users User[]
  @@schema("public")
}
model Note {
  a    Int
  b    String
  text String?
  @@id([a, b])
  @@schema("side")
}
`;
const SECOND = FIRST.replace("  calm\n", "  calm\n  gone\n")
  .replace("@db.VarChar(50)", "@db.VarChar(90)")
  .replace("  score    Float?", "  score    Decimal?\n  more     Int @default(7)")
  .replace("  text String?", '  text String? @default("none")\n  @@index([text])');

const schemaFile = join(folder, "schema.prisma");
const migrations = join(folder, "migrations");
writeFileSync(schemaFile, FIRST);
writeFileSync(
  join(folder, "prisma.config.mjs"),
  `export default { schema: "schema.prisma", migrations: { path: "migrations" },
    datasource: { url: "${url}", shadowDatabaseUrl: "${address(`${PGDATABASE}_shadow`)}" } };`,
);
const engine = join(folder, "engine");
writeFileSync(
  engine,
  `#!/bin/sh\nexec "${process.execPath}" "${join(here, "prisma-engine.mjs")}" "$@"\n`,
);
chmodSync(engine, 0o700);

/** What a command of Prisma printed, without what differs between servers. */
async function run(...args) {
  // It asks whether it is used by a person: it is.
  const terminal = "--import=data:text/javascript,process.stdin.isTTY=true";
  const child = spawn(process.execPath, [terminal, program, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: engine,
      CHECKPOINT_DISABLE: "1",
      PRISMA_HIDE_UPDATE_MESSAGE: "1",
      NO_COLOR: "1",
      CI: "",
      TERM: "xterm",
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 180_000,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
  }
  const status = await new Promise((resume) => child.on("close", resume));
  if (status !== 0) throw new Error(printed.slice(-1_500));
  return printed
    .replaceAll(folder, "")
    .replaceAll(`${PGHOST}:${PGPORT}`, "")
    .replace(/\d+ms|\d+(\.\d+)?s\b/g, "")
    .replace(/\d{14}/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** The schema as `db pull` finds it. */
async function pulled() {
  writeFileSync(schemaFile, FIRST.slice(0, FIRST.indexOf("enum")));
  await run("db", "pull", "--force");
  return readFileSync(schemaFile, "utf8");
}

const written = () =>
  readdirSync(migrations)
    .filter((name) => !name.includes("."))
    .sort()
    .map((name) => readFileSync(join(migrations, name, "migration.sql"), "utf8"));

await step("pushes a schema", () => run("db", "push"));
await step("finds nothing left to push", () => run("db", "push"));
await step("pulls the schema", pulled);
await step("pushes a changed schema", async () => {
  writeFileSync(schemaFile, SECOND);
  const first = await run("db", "push", "--accept-data-loss");
  return [first, await pulled()];
});
await step("resets", async () => {
  writeFileSync(schemaFile, FIRST);
  return await run("migrate", "reset", "--force");
});
await step("makes a migration and applies it", async () => {
  const printed = await run("migrate", "dev", "--name", "first");
  return [printed, written()];
});
await step("applies a changed schema to rows", async () => {
  writeFileSync(schemaFile, SECOND);
  const printed = await run("migrate", "dev", "--name", "second");
  return [printed, written().at(-1), await run("migrate", "status")];
});
await step("deploys a migration by hand", async () => {
  const own = join(migrations, "99999999999999_own");
  mkdirSync(own);
  writeFileSync(
    join(own, "migration.sql"),
    `CREATE VIEW "calm" AS SELECT "id", "email" FROM "User" WHERE "mood" = 'calm';
     INSERT INTO "Label" ("name") VALUES ('made');`,
  );
  return [await run("migrate", "deploy"), await run("migrate", "status"), await pulled()];
});
await step("generates the client", async () => {
  writeFileSync(schemaFile, SECOND);
  return (await run("generate")).filter((line) => line.includes("Generated"));
});

const { PrismaClient, Prisma } = await import(
  pathToFileURL(join(folder, "client", "client.ts")).href
);
const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
const shown = ({ key, at, made, ...others }) => ({
  ...others,
  ...(key && { key: key.length }),
  ...((at ?? made) && { isNow: Math.abs(Date.now() - (at ?? made).getTime()) < 3_600_000 }),
});

await step("creates", async () => {
  const ada = await db.user.create({
    data: {
      email: "ada@x",
      name: "Ada",
      born: new Date("1815-12-10"),
      tags: ["größer", 'a "b", c', ""],
      profile: { create: { bio: "first" } },
      labels: { create: [{ name: "l1" }], connect: [{ name: "made" }] },
      posts: {
        create: [1, 2, 3].map((i) => ({
          title: `p${i}`,
          price: `${i}.5`,
          extra: { i, deep: [null, i] },
          bytes: new Uint8Array([0, i, 255]),
        })),
      },
    },
    include: { posts: true, profile: true, labels: { orderBy: { name: "asc" } } },
  });
  const many = await db.user.createMany({
    data: [{ email: "bob@x", mood: "gone" }, { email: "ada@x" }],
    skipDuplicates: true,
  });
  const returned = await db.note.createManyAndReturn({
    data: [
      { a: 1, b: "x" },
      { a: 1, b: "y", text: null },
    ],
  });
  return { ada: { ...shown(ada), posts: ada.posts.map(shown) }, many, returned };
});

await step("reads", async () => ({
  filtered: (
    await db.user.findMany({
      where: { OR: [{ name: { contains: "D", mode: "insensitive" } }, { tags: { has: "new" } }] },
      orderBy: [{ name: { sort: "asc", nulls: "first" } }],
      include: { _count: { select: { posts: true } } },
    })
  ).map(shown),
  json: await db.post.findMany({
    where: { extra: { path: ["i"], gte: 2 }, author: { is: { email: "ada@x" } } },
    select: { title: true, extra: true },
    orderBy: { id: "desc" },
  }),
  related: await db.user.findMany({
    where: { labels: { some: { name: "made" } }, posts: { none: { price: { gt: 100 } } } },
    select: {
      email: true,
      posts: { take: 1, skip: 1, orderBy: { id: "asc" }, select: { id: true } },
    },
  }),
  cursor: await db.post.findMany({
    cursor: { id: 2n },
    take: 2,
    orderBy: { id: "asc" },
    select: { id: true },
  }),
  unique: await db.note.findUnique({ where: { a_b: { a: 1, b: "x" } } }),
  distinct: await db.note.findMany({ distinct: ["a"], select: { a: true } }),
  grouped: await db.post.groupBy({
    by: ["authorId"],
    _sum: { price: true, level: true },
    _avg: { level: true },
    _count: true,
    having: { price: { _max: { gt: 1 } } },
  }),
  totals: await db.post
    .aggregate({ _min: { at: true, title: true }, _max: { price: true }, _count: { score: true } })
    .then(({ _min, ...others }) => ({ ...others, title: _min.title })),
  view: await db.$queryRaw`SELECT * FROM "calm" ORDER BY id`,
  raw: await db.$queryRaw`SELECT ${1}::int AS a, ${"x"} AS b, ${[1, 2]}::int[] AS c,
    ${new Date(0)}::timestamptz AS d, count(*) AS n, 1.50::numeric AS e,
    '\\x01ff'::bytea AS g, '{"a": 1}'::jsonb AS h, 'calm'::"Mood" AS i
    FROM posts WHERE title IN (${Prisma.join(["p1", "p2"])})`,
}));

await step("changes", async () => ({
  updated: shown(
    await db.post.update({
      where: { authorId_title: { authorId: 1, title: "p1" } },
      data: { price: { multiply: 2 }, level: { increment: 3 }, score: "2.25" },
      omit: { bytes: true },
    }),
  ),
  many: await db.post.updateMany({ where: { level: 1 }, data: { isOpen: false } }),
  upserted: [
    await db.label.upsert({ where: { name: "up" }, create: { name: "up" }, update: {} }),
    await db.label.upsert({
      where: { name: "up" },
      create: { name: "up" },
      update: { name: "down" },
    }),
  ],
  tags: await db.user.update({
    where: { id: 1 },
    data: { tags: { push: "last" }, labels: { set: [{ name: "down" }] } },
    select: { tags: true, labels: true },
  }),
  deleted: await db.note.deleteMany({ where: { b: { startsWith: "y" } } }),
  executed: await db.$executeRaw`UPDATE posts SET more = more + ${1} WHERE id > ${1}`,
}));

/** What a failure says. */
const failure = (error) => [error.code, error.meta?.modelName, error.message.split("\n").at(-1)];

await step("fails", async () => [
  await db.user.create({ data: { email: "ada@x" } }).catch(failure),
  await db.post.create({ data: { title: "t", authorId: 99 } }).catch(failure),
  await db.user.delete({ where: { id: 1 } }).catch(failure),
  await db.post.update({ where: { id: 99n }, data: { title: "t" } }).catch(failure),
  await db.post.update({ where: { id: 1n }, data: { title: "x".repeat(81) } }).catch(failure),
  await db.$queryRaw`SELECT nothing FROM posts`.catch((error) => error.code),
]);

await step("takes transactions back", async () => {
  const failed = await db
    .$transaction(
      async (on) => {
        await on.note.deleteMany();
        await on.user.create({ data: { email: "bob@x" } });
      },
      { isolationLevel: "Serializable" },
    )
    .catch(({ code }) => code);
  const batch = await db.$transaction([
    db.note.create({ data: { a: 2, b: "z" } }),
    db.note.count(),
  ]);
  return { failed, batch };
});
await db.$disconnect();
rmSync(folder, { recursive: true });
