import { useEffect, useRef, useState } from "preact/hooks";
import {
  changeTo,
  type Properties,
  type PropertiesChange,
  type PropertyLine,
} from "../properties.ts";
import { STRINGS } from "../strings.ts";
import { useRun } from "./use-run.ts";

interface PropertyFormProps {
  readonly properties: Properties;
  /** Writes what changed, as one change. @throws ApiError */
  readonly onSave: (change: PropertiesChange) => Promise<unknown>;
  readonly onClose: () => void;
}

interface Line extends PropertyLine {
  readonly id: number;
}

/** Properties as lines to write in; all of them are saved at once. */
export function PropertyForm({ properties, onSave, onClose }: PropertyFormProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { refusal, run } = useRun();
  const [lines, setLines] = useState<readonly Line[]>(() =>
    Object.entries(properties)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value], id) => ({ id, name, value })),
  );
  useEffect(() => dialog.current?.showModal(), []);
  const change = (id: number, more: Partial<PropertyLine>) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, ...more } : line)));
  const add = () => setLines([...lines, { id: 1 + (lines.at(-1)?.id ?? -1), name: "", value: "" }]);
  const save = async () => {
    const isDone = await run(async () => {
      const changed = changeTo(properties, lines);
      if (Object.keys(changed).length > 0) await onSave(changed);
    });
    if (isDone) onClose();
  };
  return (
    <dialog ref={dialog} class="properties" aria-labelledby="properties-title" onClose={onClose}>
      <h2 id="properties-title">{STRINGS.editProperties}</h2>
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div class="row-fields">
          {lines.map(({ id, name, value }) => (
            <div key={id}>
              <PropertyInput
                label={`${STRINGS.name} ${id + 1}`}
                value={name}
                onChange={(text) => change(id, { name: text })}
              />
              <PropertyInput
                label={`${STRINGS.value} ${id + 1}`}
                value={value}
                onChange={(text) => change(id, { value: text })}
              />
              <button
                type="button"
                aria-label={`${STRINGS.remove} ${name}`}
                onClick={() => setLines(lines.filter((line) => line.id !== id))}
              >
                ×
              </button>
            </div>
          ))}
        </div>
        <p class="actions">
          <button type="button" class="start" onClick={add}>
            {STRINGS.addProperty}
          </button>
          <button type="button" onClick={onClose}>
            {STRINGS.cancel}
          </button>
          <button type="submit" class="primary">
            {STRINGS.save}
          </button>
        </p>
      </form>
    </dialog>
  );
}

interface PropertyInputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function PropertyInput({ label, value, onChange }: PropertyInputProps) {
  return (
    <input
      aria-label={label}
      value={value}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
