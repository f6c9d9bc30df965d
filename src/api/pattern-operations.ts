import { ARCHIVE_OPERATIONS, type ArchiveOperations } from "./archive-operations.ts";
import { COMMAND_OPERATIONS, type CommandOperations } from "./command-operations.ts";
import {
  CONFIGURATION_OPERATIONS,
  type ConfigurationOperations,
} from "./configuration-operations.ts";
import { COUNTER_OPERATIONS, type CounterOperations } from "./counter-operations.ts";
import { LEASE_OPERATIONS, type LeaseOperations } from "./lease-operations.ts";
import { LINK_OPERATIONS, type LinkOperations } from "./link-operations.ts";
import { LOG_OPERATIONS, type LogOperations } from "./log-operations.ts";
import type { ApiOperation } from "./operation.ts";
import { QUEUE_OPERATIONS, type QueueOperations } from "./queue-operations.ts";

export interface PatternOperations
  extends LeaseOperations,
    QueueOperations,
    LogOperations,
    CounterOperations,
    CommandOperations,
    LinkOperations,
    ConfigurationOperations,
    ArchiveOperations {}

export const PATTERN_OPERATIONS: Readonly<Record<keyof PatternOperations, ApiOperation>> = {
  ...LEASE_OPERATIONS,
  ...QUEUE_OPERATIONS,
  ...LOG_OPERATIONS,
  ...COUNTER_OPERATIONS,
  ...COMMAND_OPERATIONS,
  ...LINK_OPERATIONS,
  ...CONFIGURATION_OPERATIONS,
  ...ARCHIVE_OPERATIONS,
};
