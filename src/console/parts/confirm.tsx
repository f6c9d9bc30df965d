import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { STRINGS } from "../strings.ts";

interface ConfirmProps {
  /** What the button says, and the title begins with. */
  readonly action: string;
  readonly name: string;
  readonly text: string;
  readonly isDisabled?: boolean;
  readonly children?: ComponentChildren;
  readonly onOpen?: () => void;
  /** Answers whether it was done. */
  readonly onConfirm: () => Promise<boolean>;
}

/** A button that does what it says once the name was typed, so that nothing is lost by a slip. */
export function Confirm(props: ConfirmProps) {
  const { action, name, text, isDisabled, children, onOpen, onConfirm } = props;
  const [typed, setTyped] = useState("");
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const confirm = async () => {
    if (await onConfirm()) dialog.current?.close();
  };
  return (
    <>
      <button
        type="button"
        class="danger"
        disabled={isDisabled}
        onClick={() => {
          setTyped("");
          dialog.current?.showModal();
          onOpen?.();
        }}
      >
        {action}
      </button>
      <dialog ref={dialog} aria-labelledby={title}>
        <h2 id={title}>
          {action} {name}
        </h2>
        <p>{text}</p>
        {children}
        <label>
          {STRINGS.name}
          <input
            value={typed}
            placeholder={name}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            {STRINGS.cancel}
          </button>
          <button
            type="button"
            class="danger primary"
            disabled={typed !== name}
            onClick={() => void confirm()}
          >
            {action}
          </button>
        </p>
      </dialog>
    </>
  );
}
