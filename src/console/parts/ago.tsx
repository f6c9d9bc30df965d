import { now } from "../data.ts";
import { agoText, timeText } from "../format.ts";

/** How long ago, or until, something is; the time itself under the pointer. */
export function Ago({ time }: { readonly time: string | undefined }) {
  if (time === undefined) return <>—</>;
  return (
    <time dateTime={time} title={timeText(time)}>
      {agoText(time, now.value)}
    </time>
  );
}

/** When something was changed, and by whom. */
export function Changed({ time, by }: { readonly time: string; readonly by: string }) {
  return (
    <>
      <Ago time={time} /> by {by}
    </>
  );
}
