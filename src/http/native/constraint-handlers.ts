import type {
  ConstraintOperations,
  GivenColumnRef,
  GivenConstraints,
  SnapshotConstraints,
} from "../../api/constraint-operations.ts";
import { revisionOf, type StoredConstraints } from "../../catalog/constraints.ts";
import type { Constraint, ConstraintColumn } from "../../catalog/model.ts";
import { etagOf } from "../../service/resources/resource.ts";
import type { Handlers } from "./call.ts";
import { relationOf, snapshotOf } from "./names.ts";
import { decodePart } from "./query.ts";
import { timeText } from "./times.ts";

function columnsOf(given: readonly GivenColumnRef[] = []): readonly ConstraintColumn[] {
  return given.map(({ id = 0, name }, ordinal) => ({ id, name, ordinal }));
}

function constraintsOf({ constraints }: GivenConstraints): readonly Constraint[] {
  return constraints.map((given): Constraint => {
    const { name, kind, columns, expression = "", reference, enforced = false } = given;
    const { table = "", match = "", onUpdate = "", onDelete = "" } = reference ?? {};
    return {
      name,
      kind,
      columns: columnsOf(columns),
      expression,
      enforced,
      ...(reference !== undefined && {
        reference: { table, columns: columnsOf(reference.columns), match, onUpdate, onDelete },
      }),
    };
  });
}

function rendered(stored: StoredConstraints): SnapshotConstraints {
  const { snapshotId, version, written, constraints } = stored;
  return {
    snapshotId: String(snapshotId),
    version: String(version),
    etag: etagOf({ version, revision: revisionOf(stored) }),
    ...(written !== undefined && {
      updatedAt: timeText(written.updatedAtMs),
      updatedBy: written.updatedBy,
    }),
    constraints,
  };
}

export const CONSTRAINT_HANDLERS: Handlers<keyof ConstraintOperations> = {
  listConstraints: async ({ actor, service, params, query }) => {
    const page = await service.constraints.list(actor, relationOf(params), query);
    return { ...page, items: page.items.map(rendered) };
  },
  getConstraints: async ({ actor, service, params }) =>
    rendered(await service.constraints.get(actor, snapshotOf(params))),
  putConstraints: async ({ actor, service, params, body, ifMatch }) => {
    const [place, given] = [snapshotOf(params), constraintsOf(body)];
    const done = await service.constraints.put(actor, place, given, { ifMatch });
    return { ...rendered(done), changed: done.changed };
  },
  mergeConstraints: async ({ actor, service, params, body, ifMatch }) => {
    const [place, given] = [snapshotOf(params), constraintsOf(body)];
    const done = await service.constraints.merge(actor, place, given, { ifMatch });
    return { ...rendered(done), changed: done.changed };
  },
  appendConstraints: async ({ actor, service, params, body, ifMatch }) => {
    const [place, given] = [snapshotOf(params), constraintsOf(body)];
    const done = await service.constraints.append(actor, place, given, { ifMatch });
    return { ...rendered(done), changed: done.changed };
  },
  deleteConstraint: ({ actor, service, params, ifMatch }) => {
    const name = decodePart(params["constraint"] ?? "");
    const place = snapshotOf(params);
    return service.constraints.delete(actor, place, name, { ifMatch }) as Promise<undefined>;
  },
  deleteConstraints: ({ actor, service, params, ifMatch }) => {
    const place = snapshotOf(params);
    return service.constraints.delete(actor, place, undefined, { ifMatch }) as Promise<undefined>;
  },
};
