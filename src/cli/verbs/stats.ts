import type { ColumnFigures } from "../../api/layout-operations.ts";
import { EXIT } from "../exit-codes.ts";
import { bytesText, countText, plain } from "../screen.ts";
import { showList } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { tableAt, warnIfPart, whole } from "./layout-at.ts";
import { pagesOf } from "./tree.ts";

const MEMBERS = "fieldId name type required files bytes values nulls nans lower upper".split(" ");
/** Bounds are cut on a screen: they may be long texts. */
const SHOWN = 24;

/** `firn stats TABLE[@at]`: its columns, as the manifests of a snapshot tell of them. */
export async function stats({ words, format, screen, place }: VerbCall): Promise<number> {
  const { path, query } = await tableAt(place, words);
  const first = await whole(
    () => place.client.call("listColumnFigures", { path, query: { ...query, pageSize: 1 } }),
    ({ items }) => items[0]?.files ?? 0,
  );
  warnIfPart(first, screen);
  const pages = pagesOf((page) =>
    place.client.call("listColumnFigures", { path, query: { ...query, ...page } }),
  );
  await showList<ColumnFigures>(
    {
      columns: [
        { header: "ID", value: ({ fieldId }) => String(fieldId), right: true },
        { header: "COLUMN", value: ({ name }) => name },
        { header: "TYPE", value: ({ type }) => type },
        {
          header: "BYTES",
          value: ({ bytes }) => bytes,
          shown: ({ bytes }) => bytesText(Number(bytes)),
          right: true,
        },
        {
          header: "VALUES",
          value: ({ values }) => values,
          shown: ({ values }) => countText(BigInt(values)),
          right: true,
        },
        {
          header: "NULLS",
          value: ({ nulls }) => nulls,
          shown: ({ nulls }) => countText(BigInt(nulls)),
          right: true,
        },
        { header: "LEAST", value: ({ lower = "" }) => lower, shown: ({ lower }) => cut(lower) },
        { header: "GREATEST", value: ({ upper = "" }) => upper, shown: ({ upper }) => cut(upper) },
      ],
      pages,
      id: ({ fieldId }) => String(fieldId),
      members: MEMBERS,
      empty: "the table has no columns",
    },
    format,
    screen,
  );
  return EXIT.ok;
}

function cut(bound = ""): string {
  return plain(bound.length <= SHOWN ? bound : `${bound.slice(0, SHOWN - 1)}…`);
}
