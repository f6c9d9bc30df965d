import type { ImportedTable } from "../../api/import-operations.ts";
import { FirnError } from "../../base/error.ts";
import { EXIT } from "../exit-codes.ts";
import { Progress } from "../progress.ts";
import { countText } from "../screen.ts";
import { showList } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { dotted, partsOf } from "./names.ts";
import { jsonFile } from "./noun-call.ts";
import { nameIn } from "./target.ts";
import { pagesOf } from "./tree.ts";

const MEMBERS = "namespace name outcome metadataLocation code message".split(" ");

/**
 * `firn import CONNECTOR --into CATALOG`: registers the tables of another Iceberg REST catalog. One
 * that was cut short is repeated: what is here already is unchanged. Exit 1 where a table failed.
 */
export async function importTables(call: VerbCall): Promise<number> {
  const { words, values, format, screen, place } = call;
  const connector = nameIn(words);
  const into = values["into"];
  if (typeof into !== "string") {
    const message = "a catalog is missing: name it with --into";
    throw new FirnError("Invalid", "NAME_INVALID", message);
  }
  const namespaces = (values["namespace"] as readonly string[] | undefined)?.map(partsOf);
  const from = values["credentials"];
  const credentials =
    typeof from === "string" ? await jsonFile(from, call.cwd, call.stdin) : undefined;
  const body = {
    into,
    ...(credentials !== undefined && { credentials }),
    replace: values["replace"] === true,
    preview: values["dryRun"] === true,
    ...(namespaces !== undefined && { namespaces }),
  };
  const progress = new Progress(screen);
  const counts = new Map<ImportedTable["outcome"], number>();
  const pages = pagesOf((query) =>
    place.client.call("importTables", { path: { connector }, query, body }),
  );
  async function* counted() {
    let done = 0;
    try {
      for await (const items of pages) {
        for (const { outcome } of items) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        done += items.length;
        progress.end();
        yield items;
        progress.show(body.preview ? "looking" : "registering", done, undefined, "tables");
      }
    } finally {
      progress.end();
    }
  }
  await showList<ImportedTable>(
    {
      columns: [
        { header: "TABLE", value: ({ namespace, name }) => dotted([...namespace, name]) },
        { header: "OUTCOME", value: ({ outcome }) => outcome },
        { header: "CODE", value: ({ code = "" }) => code },
        { header: "MESSAGE", value: ({ message = "" }) => message },
      ],
      pages: counted(),
      id: ({ namespace, name }) => dotted([...namespace, name]),
      members: MEMBERS,
      empty: "the connector's catalog has no tables",
    },
    format,
    screen,
  );
  const told = [...counts].map(([outcome, count]) => `${countText(count)} ${outcome}`);
  if (told.length > 0) screen.printError(`${told.join(", ")}\n`);
  return counts.has("failed") ? EXIT.failed : EXIT.ok;
}
