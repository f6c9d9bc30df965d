import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { isGone } from "../data.ts";
import { STRINGS } from "../strings.ts";

/** A view whose script is loaded when it is first shown, so that the first view stays small. */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
): (props: P) => preact.JSX.Element {
  const found = signal<ComponentType<P> | undefined>(undefined);
  return (props: P) => {
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
    const View = found.value;
    if (View !== undefined) return <View {...props} />;
    return (
      <p class="loading" role="status">
        {STRINGS.loading}
      </p>
    );
  };
}
