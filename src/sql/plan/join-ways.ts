import type { PlanEnv } from "./env.ts";
import type { JoinWays } from "./join-plan.ts";

/** The ways to join that the session allows. */
export function joinWays({ setting }: PlanEnv): JoinWays {
  const isOn = (name: string): boolean => setting(name) !== "off";
  return {
    hash: isOn("enable_hashjoin"),
    lookup: isOn("enable_nestloop") && isOn("enable_indexscan"),
    nested: isOn("enable_nestloop"),
    isOrdered: setting("join_collapse_limit") === "1",
  };
}
