import { readFileSync } from "node:fs";
import { join } from "node:path";

const RUNBOOK = join(import.meta.dirname, "..", "..", "docs", "runbook.md");

/** What a section of the runbook tells an operator. */
export interface Section {
  /** Expressions over the metrics, one beside the other: all must hold. */
  readonly alarm: readonly Condition[];
  /** The lines of its commands, in order. */
  readonly commands: readonly string[];
}

export interface Condition {
  /** Name and, in order, labels beside `shard`. */
  readonly metric: string;
  readonly labels: string;
  readonly above: number;
}

/** @throws Error where there is no such section, or its alarm is more than can be read here. */
export function sectionOf(title: string, text: string = readFileSync(RUNBOOK, "utf8")): Section {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`the runbook has no section "${title}"`);
  const blocks = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const linesOf = (language: string): readonly string[] =>
    blocks
      .filter(([, one]) => one === language)
      .flatMap(([, , lines]) => lines?.trim().split("\n") ?? []);
  const [expression = "", ...others] = linesOf("promql");
  if (others.length > 0) throw new Error(`the section "${title}" has several alarms`);
  return { alarm: expression.split(" and ").map(conditionOf), commands: linesOf("sh") };
}

function conditionOf(text: string): Condition {
  const found = /^(firn_\w+)(\{[^}]*\})? > ([\d.]+)$/.exec(text.trim());
  if (found === null) throw new Error(`no condition of ours: "${text}"`);
  const [, metric = "", labels = "{}", above] = found;
  return { metric, labels: labels.slice(1, -1), above: Number(above) };
}

/** The value of a metric of the shard `system`, in what `/metrics` prints. */
export function sampleOf(printed: string, { metric, labels }: Omit<Condition, "above">): number {
  const all = ['shard="system"', labels].filter((label) => label !== "").join(",");
  const name = `${metric}{${all}} `;
  const line = printed.split("\n").find((one) => one.startsWith(name));
  if (line === undefined) throw new Error(`no metric ${name}is printed`);
  return Number(line.slice(name.length));
}
