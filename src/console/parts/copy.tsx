import { useState } from "preact/hooks";
import { STRINGS } from "../strings.ts";

/** A button that copies a text, and says so. */
export function Copy({
  text,
  label = STRINGS.copy,
}: {
  readonly text: string;
  readonly label?: string;
}) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button
      type="button"
      class="copy"
      title={`${label}: ${text.slice(0, 80)}`}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{isDone ? STRINGS.copied : label}</span>
    </button>
  );
}

/** An id in short, which copies whole. */
export function Id({ id, text = id }: { readonly id: string; readonly text?: string }) {
  return (
    <span class="id">
      <code title={id}>{text}</code>
      <Copy text={id} />
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
