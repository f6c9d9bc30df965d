import type { ComponentChildren } from "preact";
import type { ApiError } from "../../client/client.ts";
import { STRINGS } from "../strings.ts";
import { Code } from "./copy.tsx";

/** Nothing to show yet, and the lines that change it. */
export function Empty({ text, code }: { readonly text: string; readonly code?: string }) {
  return (
    <section class="empty">
      <p>{text}</p>
      {code !== undefined && <Code text={code} />}
    </section>
  );
}

/** A refusal, with its code and what is missing. */
export function Refused({ error }: { readonly error: ApiError }) {
  const { code, detail, status } = error.problem;
  return (
    <section class="refused" role="alert">
      <h2>{code}</h2>
      <p>{detail}</p>
      <p class="dim">HTTP {status}</p>
    </section>
  );
}

interface ShownProps<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly children: (data: T) => ComponentChildren;
}

/** The data if there is any, even while it is old; else why there is none. */
export function Shown<T>({ data, error, children }: ShownProps<T>) {
  if (error !== undefined) return <Refused error={error} />;
  if (data === undefined) {
    return (
      <p class="loading" role="status">
        {STRINGS.loading}
      </p>
    );
  }
  return <>{children(data)}</>;
}
