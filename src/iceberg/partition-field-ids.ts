import type { DraftList } from "./draft-list.ts";
import {
  FIRST_PARTITION_FIELD_ID,
  type PartitionField,
  type PartitionSpec,
} from "./partition-spec.ts";

/** A field id, and the spec that it is of. */
interface Given {
  readonly spec: PartitionSpec;
  readonly fieldId: number;
}

/** The field ids of a draft's specs by what the fields hold: a source under a transform. */
export class PartitionFieldIds {
  readonly #specs: DraftList<PartitionSpec>;
  #given: Map<string, Given[]> | undefined;

  constructor(specs: DraftList<PartitionSpec>) {
    this.#specs = specs;
  }

  /**
   * Fields that came without ids: each has that of the field with its source and transform in any
   * older spec, for they hold the same values, else the next one.
   */
  assign(fields: readonly PartitionField[], lastAssigned: number): readonly PartitionField[] {
    let next = Math.max(lastAssigned, FIRST_PARTITION_FIELD_ID - 1) + 1;
    return fields.map((field) => ({ ...field, fieldId: this.#find(field) ?? next++ }));
  }

  /** Takes notice of a spec that was added. */
  add(spec: PartitionSpec): void {
    if (this.#given !== undefined) this.#addTo(this.#given, spec);
  }

  #find(field: PartitionField): number | undefined {
    if (this.#given === undefined) {
      this.#given = new Map();
      for (const spec of this.#specs.toArray()) this.#addTo(this.#given, spec);
    }
    const given = this.#given.get(keyOf(field));
    if (given === undefined) return undefined;
    // Specs that were removed do not come back, so what is passed over once is dropped.
    const at = given.findIndex(({ spec }) => this.#specs.has(spec));
    given.splice(0, at < 0 ? given.length : at);
    return given[0]?.fieldId;
  }

  #addTo(all: Map<string, Given[]>, spec: PartitionSpec): void {
    for (const field of spec.fields) {
      const key = keyOf(field);
      const given = all.get(key);
      if (given === undefined) all.set(key, [{ spec, fieldId: field.fieldId }]);
      else given.push({ spec, fieldId: field.fieldId });
    }
  }
}

function keyOf({ sourceId, transform }: PartitionField): string {
  return `${sourceId} ${transform.text}`;
}
