import { text } from "node:stream/consumers";
import fastify from "fastify";

/**
 * Fastify with one route: it answers each path of the object on stdin with its text. It prints its
 * URL, and ends with SIGTERM.
 */
const bodies = JSON.parse(await text(process.stdin)) as Readonly<Record<string, string>>;
const app = fastify();
app.get("/*", async (request, reply) => {
  reply.header("Content-Type", "application/json");
  return bodies[request.url] ?? "";
});
console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
