import { useState } from "preact/hooks";
import { STRINGS } from "../strings.ts";
import { Icon } from "./icon.tsx";

/** A button that copies a text, and says so. */
export function Copy({
  text,
  label = STRINGS.copy,
  isSmall = false,
}: {
  readonly text: string | (() => string);
  readonly label?: string;
  /** An icon without a text, beside an id. */
  readonly isSmall?: boolean;
}) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button
      type="button"
      class={isSmall ? "copy icon-only" : "copy"}
      title={typeof text === "string" ? `${label}: ${text.slice(0, 80)}` : undefined}
      onClick={() => void copy()}
    >
      {isSmall && <Icon name={isDone ? "good" : "copy"} />}
      <span aria-live="polite" class={isSmall ? "hidden" : undefined}>
        {isDone ? STRINGS.copied : label}
      </span>
    </button>
  );
}

/** An id in short, which copies whole. */
export function Id({ id, text = id }: { readonly id: string; readonly text?: string }) {
  return (
    <span class="id">
      <code title={id}>{text}</code>
      <Copy text={id} isSmall />
    </span>
  );
}

export function Code({ text }: { readonly text: string }) {
  return (
    <div class="code">
      <pre>
        <code>{text}</code>
      </pre>
      <Copy text={text} />
    </div>
  );
}
