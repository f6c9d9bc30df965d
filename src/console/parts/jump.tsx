import { useEffect, useRef, useState } from "preact/hooks";
import type { Found } from "../../api/resources.ts";
import { client } from "../data.ts";
import { isJumpOpen } from "../keyboard.ts";
import { go } from "../navigation.ts";
import { pathOf, routeToFound } from "../route.ts";
import { STRINGS } from "../strings.ts";
import { fullName } from "./full-name.tsx";
import { Icon } from "./icon.tsx";

const WAIT_MS = 150;
const SHOWN = 12;

/** Finds names as they are typed. */
export function Jump() {
  const [text, setText] = useState("");
  const [found, setFound] = useState<readonly Found[]>([]);
  /** What `found` was found for. */
  const [sought, setSought] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isJumpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  useEffect(() => {
    setAt(0);
    if (text === "") {
      setFound([]);
      return undefined;
    }
    const timer = setTimeout(() => {
      client
        .call("searchNames", { query: { q: text, pageSize: SHOWN } })
        .then(({ items }) => {
          setFound(items);
          setSought(text);
        })
        .catch(() => setFound([]));
    }, WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const open = (item: Found | undefined) => {
    if (item === undefined) return;
    isJumpOpen.value = false;
    setText("");
    go(routeToFound(item));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
    else if (event.key === "Enter") open(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="jump"
      aria-label={STRINGS.jump}
      onClose={() => {
        isJumpOpen.value = false;
      }}
    >
      <input
        role="combobox"
        aria-label={STRINGS.jump}
        aria-expanded={found.length > 0}
        aria-controls="jump-found"
        aria-activedescendant={found.length > 0 ? `jump-${at}` : undefined}
        placeholder={STRINGS.jump}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div id="jump-found" role="listbox" aria-label={STRINGS.jump}>
        {found.map((item, i) => (
          <div
            key={pathOf(routeToFound(item))}
            id={`jump-${i}`}
            role="option"
            aria-selected={i === at}
            tabIndex={-1}
            onClick={() => open(item)}
            onKeyDown={onKey}
          >
            <Icon name={item.type} /> {fullName(item)}
            <span class="dim"> {item.type}</span>
          </div>
        ))}
      </div>
      {text !== "" && sought === text && found.length === 0 && <p class="dim">{STRINGS.noMatch}</p>}
    </dialog>
  );
}
