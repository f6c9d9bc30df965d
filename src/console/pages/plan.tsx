import { countText } from "../format.ts";
import type { PlanStep } from "../plan-tree.ts";
import { STRINGS } from "../strings.ts";

/** A plan as a tree: what a node reads from stands below it. */
export function Plan({ steps }: { readonly steps: readonly PlanStep[] }) {
  const most = Math.max(0, ...steps.map(({ actual }) => actual?.ms ?? 0));
  return (
    <ul class="plan" aria-label={STRINGS.plan}>
      {steps.map((step, i) => (
        <Step key={i} step={step} most={most} />
      ))}
    </ul>
  );
}

interface StepProps {
  readonly step: PlanStep;
  /** Milliseconds of the whole plan. */
  readonly most: number;
}

function Step({ step: { title, details, actual, children }, most }: StepProps) {
  const inner = children.reduce((sum, child) => sum + (child.actual?.ms ?? 0), 0);
  const own = actual?.ms === undefined ? undefined : Math.max(0, actual.ms - inner);
  return (
    <li>
      <div class="step">
        <strong>{title}</strong>
        {actual !== undefined && <span class="badge">{countText(actual.rows)} rows</span>}
        {own !== undefined && (
          <span class="marked">
            <meter value={own} max={Math.max(most, 0.001)} aria-label={STRINGS.ownTime} />
            {own.toFixed(3)} ms
          </span>
        )}
        {details.map((detail, i) => (
          <div key={i} class="dim">
            {detail}
          </div>
        ))}
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child, i) => (
            <Step key={i} step={child} most={most} />
          ))}
        </ul>
      )}
    </li>
  );
}
