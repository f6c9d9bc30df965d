import type Long from "long";
import { FirnError } from "../../base/error.ts";
import type { firn } from "../../gen/firn.js";
import type {
  Constraint,
  ConstraintColumn,
  ConstraintKind,
  Envelope,
  Reference,
} from "../model.ts";
import { envelopeOf, type PayloadBytes, payloadOf } from "./envelope.ts";
import { big, corruptOnThrow, long, nameOf, v1 } from "./wire.ts";

const CONSTRAINT_KIND: Readonly<Record<ConstraintKind, firn.v1.ConstraintKind>> = {
  PRIMARY_KEY: v1.ConstraintKind.CONSTRAINT_KIND_PRIMARY_KEY,
  FOREIGN_KEY: v1.ConstraintKind.CONSTRAINT_KIND_FOREIGN_KEY,
  UNIQUE: v1.ConstraintKind.CONSTRAINT_KIND_UNIQUE,
  CHECK: v1.ConstraintKind.CONSTRAINT_KIND_CHECK,
  NOT_NULL: v1.ConstraintKind.CONSTRAINT_KIND_NOT_NULL,
};

function messageOf(constraint: Constraint): firn.v1.Constraint.$Properties {
  const { name, kind, columns, expression, reference, enforced } = constraint;
  return {
    name,
    kind: CONSTRAINT_KIND[kind],
    columns: [...columns],
    expression,
    enforced,
    ...(reference !== undefined && {
      reference: { ...reference, columns: [...reference.columns] },
    }),
  };
}

function columnOf(message: firn.v1.ConstraintColumn.$Properties): ConstraintColumn {
  const { id, name, ordinal } = v1.ConstraintColumn.create(message);
  return { id, name, ordinal };
}

function referenceOf(message: firn.v1.Reference.$Properties): Reference {
  const { table, columns, match, onUpdate, onDelete } = v1.Reference.create(message);
  return { table, columns: columns.map(columnOf), match, onUpdate, onDelete };
}

function constraintOf(message: firn.v1.Constraint.$Properties): Constraint {
  const { name, kind, columns, expression, reference, enforced } = v1.Constraint.create(message);
  return {
    name,
    kind: nameOf(CONSTRAINT_KIND, kind),
    columns: columns.map(columnOf),
    expression,
    enforced,
    ...(reference && { reference: referenceOf(reference) }),
  };
}

/** The payload of a snapshot's constraints. The envelope names the table. */
export function encodeConstraints(
  envelope: Envelope,
  snapshotId: bigint,
  constraints: readonly Constraint[],
): PayloadBytes {
  const message: firn.v1.SnapshotConstraints.$Properties = {
    snapshotId: long(snapshotId),
    constraints: constraints.map(messageOf),
  };
  return payloadOf(envelope, (writer) => v1.SnapshotConstraints.encode(message, writer));
}

/**
 * Reads the payload of a snapshot's constraints.
 *
 * @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or of another type.
 */
export function decodeConstraints(bytes: Uint8Array): {
  readonly envelope: Envelope;
  readonly snapshotId: bigint;
  readonly constraints: readonly Constraint[];
} {
  const decoded = corruptOnThrow(() => {
    const m = v1.SnapshotConstraints.decode(bytes);
    const constraints = m.constraints.map(constraintOf);
    return { envelope: envelopeOf(m.envelope), snapshotId: big(m.snapshotId as Long), constraints };
  });
  const { entityType } = decoded.envelope;
  if (entityType === "constraints") return decoded;
  throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "not constraints", { entityType });
}
