import { startStandIn } from "./stand-in.ts";

/** Starts a server as a stand-in, tells the id of its process, and lives on. */
const SERVER = 'require("node:http").createServer((_, r) => r.end()).listen(process.argv[1])';
const standIn = await startStandIn((port) => ({
  name: "a server",
  command: process.execPath,
  args: ["-e", SERVER, String(port)],
}));
process.stdout.write(`${standIn.pid}\n`);
