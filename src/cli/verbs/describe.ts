import { EXIT } from "../exit-codes.ts";
import type { Place } from "../place.ts";
import { agoText, bytesText, countText, plain, type Screen } from "../screen.ts";
import { linesOf, showItem } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { loadTable, type TableField, type TableState } from "./iceberg-table.ts";
import { snapshotAt, summaryNumber } from "./snapshots.ts";
import { nameIn, nameOf, type Placed, resourceOf, targetOf } from "./target.ts";

type Lines = readonly (readonly [name: string, value: string])[];

/** `firn describe NAME[@at]`: everything that the catalog knows of one thing. */
export async function describeOne({ words, format, screen, place }: VerbCall): Promise<number> {
  const { name, at } = targetOf(nameIn(words));
  const resource = await resourceOf(place, name);
  const state = await stateOf(place, resource, at);
  const whole = state === undefined ? resource : { ...resource, ...tableFacts(state, at) };
  const lines = screen.isTerminal ? linesFor(resource, state, at, screen) : linesOf(whole);
  showItem(whole, resource.id, format, screen, lines);
  return EXIT.ok;
}

async function stateOf(
  place: Place,
  resource: Placed,
  at: string | undefined,
): Promise<TableState | undefined> {
  if (resource.type !== "table" || resource.format !== "ICEBERG") return undefined;
  return loadTable(place, resource, at === undefined ? "refs" : "all");
}

/** What the metadata file adds to what the catalog stores. */
function tableFacts(state: TableState, at: string | undefined): object {
  const snapshot =
    state.currentSnapshotId === undefined && at === undefined ? undefined : snapshotAt(state, at);
  return {
    schema: fieldsAt(state, snapshot?.schemaId),
    partition: state.partition,
    refs: state.refs.map(({ name, type, snapshotId }) => ({
      name,
      type,
      snapshotId: String(snapshotId),
    })),
    ...(snapshot !== undefined && {
      snapshot: {
        snapshotId: String(snapshot.id),
        timestamp: new Date(snapshot.timeMs).toISOString(),
        operation: snapshot.operation,
        summary: snapshot.summary,
      },
    }),
  };
}

export function fieldsAt(state: TableState, schemaId: number | undefined): readonly TableField[] {
  return state.schemas.get(schemaId ?? state.currentSchemaId) ?? [];
}

function linesFor(
  resource: Placed,
  state: TableState | undefined,
  at: string | undefined,
  screen: Screen,
): Lines {
  const { type, id, description, version, updatedAt, updatedBy, createdAt } = resource;
  const ago = (text: string) => agoText(Date.parse(text), screen.nowMs());
  const kind = resource.type === "table" ? `${resource.format.toLowerCase()} table` : type;
  const location = resource.type === "catalog" ? resource.defaultLocation : "";
  const of = resource.type === "table" || resource.type === "view" ? resource.location : location;
  return [
    ["name", plain(nameOf(resource))],
    ["kind", resource.protected ? `${kind}, protected` : kind],
    ...optional("description", plain(description)),
    ...optional("location", plain(of)),
    ["created", ago(createdAt)],
    ["updated", `${ago(updatedAt)} by ${plain(updatedBy)}`],
    ["version", version],
    ["id", id],
    ...Object.entries(resource.properties).map(
      ([key, value]) => [`property ${plain(key)}`, plain(value)] as const,
    ),
    ...(state === undefined ? [] : tableLines(state, at, screen)),
  ];
}

function tableLines(state: TableState, at: string | undefined, screen: Screen): Lines {
  const isEmpty = state.currentSnapshotId === undefined && at === undefined;
  const snapshot = isEmpty ? undefined : snapshotAt(state, at);
  const fields = fieldsAt(state, snapshot?.schemaId);
  const refs = state.refs.map(({ name, type }) => (type === "tag" ? `tag ${name}` : name));
  return [
    ...(snapshot === undefined
      ? [["snapshot", "none: the table is empty"] as const]
      : [
          ["snapshot", `${snapshot.id}  ${agoText(snapshot.timeMs, screen.nowMs())}`] as const,
          ...numberLine("rows", summaryNumber(snapshot, "total-records"), countText),
          ...numberLine("files", summaryNumber(snapshot, "total-data-files"), countText),
          ...numberLine("size", summaryNumber(snapshot, "total-files-size"), bytesText),
        ]),
    ...optional("refs", plain(refs.join(", "))),
    ...optional("partitioned by", plain(state.partition.join(", "))),
    ["format version", String(state.formatVersion)],
    ...fields.map((field) => [`column ${field.id}`, fieldText(field)] as const),
  ];
}

export function fieldText({ name, type, required, doc }: TableField): string {
  const text = `${name} ${type}${required ? " not null" : ""}`;
  return plain(doc === undefined ? text : `${text}  -- ${doc}`);
}

function optional(name: string, value: string): Lines {
  return value === "" ? [] : [[name, value]];
}

function numberLine(
  name: string,
  value: number | undefined,
  text: (value: number) => string,
): Lines {
  return value === undefined ? [] : [[name, text(value)]];
}
