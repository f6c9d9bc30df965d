import type { SequenceDescriptor } from "../../../rows/index.ts";
import { OID } from "../../types/oids.ts";
import type { VirtualRelation } from "../virtual.ts";
import { hashedOid } from "./object-oids.ts";

/** A sequence as a relation of one row: where it stands. */
export function sequenceRelation({ id, name, namespace }: SequenceDescriptor): VirtualRelation {
  return {
    schema: namespace.join("."),
    name,
    oid: hashedOid("sequence", id),
    estimatedRows: 1,
    columns: [
      { name: "last_value", oid: OID.int8 },
      { name: "log_cnt", oid: OID.int8 },
      { name: "is_called", oid: OID.bool },
    ],
    async *scan(scan) {
      const rows = await scan.rows();
      const { last, isCalled } = await rows.sequenceState(await rows.sequences.get(id));
      yield [[last, 0n, isCalled]];
    },
  };
}
