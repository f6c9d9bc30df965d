import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { isGone } from "../data.ts";
import { STRINGS } from "../strings.ts";

interface Later<P> {
  (props: P): preact.JSX.Element;
  /** Loads the script beside what the view waits for; a failure shows once the view is shown. */
  readonly ahead: () => void;
}

/** A view whose script is loaded when it is first shown, so that the first view stays small. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): Later<P> {
  const found = signal<ComponentType<P> | undefined>(undefined);
  const View = (props: P) => {
    useEffect(() => {
      if (found.peek() !== undefined) return;
      load()
        .then((view) => {
          found.value = view;
        })
        .catch(() => {
          isGone.value = true;
        });
    }, []);
    const Loaded = found.value;
    if (Loaded !== undefined) return <Loaded {...props} />;
    return (
      <p class="loading" role="status">
        {STRINGS.loading}
      </p>
    );
  };
  const ahead = () => {
    load().then(
      (view) => {
        found.value = view;
      },
      () => undefined,
    );
  };
  return Object.assign(View, { ahead });
}
