import pg from "pg";
import { step } from "../node/transcript.mjs";

/** Queries of a tool as its driver sends them: what comes back is compared as PostgreSQL's text. */

/** Types below are PostgreSQL's own; an enum has another OID on each server. */
const FIRST_OF_USERS = 16_384;
const AS_TEXT = { getTypeParser: () => (value) => value };

/** A session of its own, its settings from the environment. */
export async function connect(settings = {}) {
  const client = new pg.Client({ types: AS_TEXT, ...settings });
  await client.connect();
  return client;
}

function shown({ command, rowCount, fields, rows }) {
  const columns = fields.map(({ name, dataTypeID }) => [
    name,
    dataTypeID < FIRST_OF_USERS ? dataTypeID : "a type of a user",
  ]);
  return { command, rowCount, columns, rows };
}

/**
 * A step that asks one query, or a script of several. Without parameters it takes the simple
 * protocol, as the drivers of Go do; `queryMode: "extended"` in `more` is for those of Java.
 */
export async function ask(client, name, text, values, more = {}) {
  await step(name, async () => {
    const answer = await client.query({ text, values, rowMode: "array", ...more });
    return Array.isArray(answer) ? answer.map(shown) : shown(answer);
  });
}
