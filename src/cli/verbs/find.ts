import type { Found } from "../../api/resources.ts";
import { EXIT } from "../exit-codes.ts";
import { showList } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { dotted } from "./names.ts";
import { nameIn } from "./target.ts";
import { pagesOf } from "./tree.ts";

/** `firn find TEXT`: names that hold a text. Exit 3 where none does. */
export async function find({ words, format, screen, place }: VerbCall): Promise<number> {
  const q = nameIn(words);
  let found = 0;
  const pages = pagesOf((query) => place.client.call("searchNames", { query: { ...query, q } }));
  await showList<Found>(
    {
      columns: [
        { header: "NAME", value: fullName },
        { header: "TYPE", value: ({ type }) => type },
      ],
      pages: (async function* () {
        for await (const items of pages) {
          found += items.length;
          yield items;
        }
      })(),
      id: fullName,
      members: ["type", "name", "catalog", "namespace"],
      empty: `no name holds ${q}`,
    },
    format,
    screen,
  );
  return found === 0 ? EXIT.notFound : EXIT.ok;
}

function fullName({ type, name, catalog, namespace = [] }: Found): string {
  if (catalog === undefined) return dotted([name]);
  return dotted([catalog, ...namespace, ...(type === "namespace" ? [] : [name])]);
}
