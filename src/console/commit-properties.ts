import type { Table, View } from "../api/resources.ts";
import { commitTo } from "./commit-table.ts";
import type { PropertiesChange } from "./properties.ts";

/** Properties of an Iceberg table or view are in its metadata file: a commit changes them. */
export async function commitProperties(of: Table | View, change: PropertiesChange): Promise<void> {
  const set = Object.entries(change).filter(([, value]) => value !== null);
  const gone = Object.keys(change).filter((name) => change[name] === null);
  const uuid = JSON.stringify(of.iceberg?.uuid ?? "");
  await commitTo(of, {
    requirements: [`{"type":"assert-${of.type}-uuid","uuid":${uuid}}`],
    updates: [
      ...(set.length === 0 ? [] : [setText(Object.fromEntries(set))]),
      ...(gone.length === 0 ? [] : [goneText(gone)]),
    ],
  });
}

function setText(updates: object): string {
  return JSON.stringify({ action: "set-properties", updates });
}

function goneText(removals: readonly string[]): string {
  return JSON.stringify({ action: "remove-properties", removals });
}
