import { connectSnippets } from "../../src/console/connect.ts";

/*
 * The lines that the console shows to connect clients, as JSON, for the suites that run them:
 * `node connect-snippets.ts URL PRINCIPAL CATALOG NAMESPACE… TABLE`; the empty principal is none.
 */

const [url = "", principal = "", catalog = "", ...names] = process.argv.slice(2);
const target = {
  url,
  catalog,
  namespace: names.slice(0, -1),
  table: names.at(-1) ?? "",
  ...(principal !== "" && { principal }),
};
const snippets = connectSnippets(target).map(({ client, code }) => [client, code]);
process.stdout.write(JSON.stringify(Object.fromEntries(snippets)));
