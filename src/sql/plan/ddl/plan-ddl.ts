import type { Node } from "libpg-query";
import { notSupported } from "../../error.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import { planAlterTable, planRename, planSetSchema } from "./alter-table.ts";
import { planComment } from "./comments.ts";
import { planCreateComposite } from "./composites.ts";
import { planCreateTable } from "./create-table.ts";
import { type DdlPorts, objectWords } from "./ddl-run.ts";
import { planAlterDomain, planCreateDomain } from "./domains.ts";
import { planDropTable, planTruncate } from "./drop-table.ts";
import { planDropType } from "./drop-type.ts";
import { planAlterEnum, planCreateEnum } from "./enums.ts";
import { planGrant } from "./grants.ts";
import { planCreateIndex, planDropIndex } from "./indexes.ts";
import { planMaintenance } from "./maintenance.ts";
import { planAlterOwner } from "./owners.ts";
import { planRefresh } from "./refresh.ts";
import { planReindex } from "./reindex.ts";
import { planAlterRole, planCreateRole, planDropRole, planGrantRole } from "./roles.ts";
import { planCreateSchema, planDropSchema } from "./schemas.ts";
import { planAlterSequence, planCreateSequence, planDropSequence } from "./sequences.ts";
import { planCreateView, planDropView } from "./views.ts";

/** A statement about tables, indexes, sequences or schemas; undefined for others. */
export function planDdl(env: PlanEnv, node: Node, ports: DdlPorts): Plan | undefined {
  if ("CreateStmt" in node) return planCreateTable(env, node.CreateStmt, ports);
  if ("CreateSchemaStmt" in node) {
    return planCreateSchema(env, node.CreateSchemaStmt, (each) => planDdl(env, each, ports));
  }
  if ("CreateSeqStmt" in node) return planCreateSequence(env, node.CreateSeqStmt, ports);
  if ("AlterSeqStmt" in node) return planAlterSequence(env, node.AlterSeqStmt, ports);
  if ("IndexStmt" in node) return planCreateIndex(env, node.IndexStmt, ports);
  if ("AlterTableStmt" in node) return planAlterTable(env, node.AlterTableStmt, ports);
  if ("AlterOwnerStmt" in node) return planAlterOwner(env, node.AlterOwnerStmt, ports);
  if ("RenameStmt" in node) return planRename(env, node.RenameStmt, ports);
  if ("AlterObjectSchemaStmt" in node) {
    return planSetSchema(env, node.AlterObjectSchemaStmt, ports);
  }
  if ("VacuumStmt" in node) return planMaintenance(env, node.VacuumStmt);
  if ("ReindexStmt" in node) return planReindex(env, node.ReindexStmt, ports);
  if ("TruncateStmt" in node) return planTruncate(env, node.TruncateStmt, ports);
  if ("CreateRoleStmt" in node) return planCreateRole(node.CreateRoleStmt);
  if ("AlterRoleStmt" in node) return planAlterRole(node.AlterRoleStmt);
  if ("DropRoleStmt" in node) return planDropRole(node.DropRoleStmt);
  if ("GrantRoleStmt" in node) return planGrantRole(node.GrantRoleStmt);
  if ("GrantStmt" in node) return planGrant(node.GrantStmt, ports);
  if ("CommentStmt" in node) return planComment(env, node.CommentStmt, ports);
  if ("ViewStmt" in node) return planCreateView(env, node.ViewStmt, ports);
  if ("CompositeTypeStmt" in node) {
    return planCreateComposite(env, node.CompositeTypeStmt, ports);
  }
  if ("CreateEnumStmt" in node) return planCreateEnum(env, node.CreateEnumStmt, ports);
  if ("AlterEnumStmt" in node) return planAlterEnum(env, node.AlterEnumStmt, ports);
  if ("CreateDomainStmt" in node) return planCreateDomain(env, node.CreateDomainStmt, ports);
  if ("AlterDomainStmt" in node) return planAlterDomain(env, node.AlterDomainStmt, ports);
  if ("RefreshMatViewStmt" in node) return planRefresh(env, node.RefreshMatViewStmt, ports);
  if (!("DropStmt" in node)) return undefined;
  const { DropStmt: drop } = node;
  switch (drop.removeType) {
    case "OBJECT_TABLE":
      return planDropTable(env, drop, ports);
    case "OBJECT_INDEX":
      return planDropIndex(env, drop, ports);
    case "OBJECT_SEQUENCE":
      return planDropSequence(env, drop, ports);
    case "OBJECT_VIEW":
    case "OBJECT_MATVIEW":
      return planDropView(env, drop, ports);
    case "OBJECT_TYPE":
    case "OBJECT_DOMAIN":
      return planDropType(env, drop, ports);
    case "OBJECT_SCHEMA":
      return planDropSchema(env, drop, ports);
    default: {
      const what = objectWords(drop.removeType);
      throw notSupported(`DROP ${what}`);
    }
  }
}
