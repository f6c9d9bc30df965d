import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../client/client.ts";
import { Heading } from "../parts/heading.tsx";
import { provider, providerUrl, signIn } from "../session.ts";
import { STRINGS } from "../strings.ts";

/** Asks for an API key; what was asked for is shown behind it. */
export function SignIn() {
  const field = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<string>();
  const [at, setAt] = useState<string | null>(null);
  useEffect(() => {
    // Where the server is gone, the page has said so.
    provider().then(setAt, () => undefined);
  }, []);
  const submit = async () => {
    try {
      await signIn(field.current?.value ?? "");
    } catch (error) {
      if (!(error instanceof ApiError)) setRefusal(STRINGS.signInFailed);
      else if (error.problem.status === 401) setRefusal(STRINGS.keyRefused);
      else setRefusal(error.message);
    }
  };
  return (
    <section class="panel gate">
      <Heading name={STRINGS.signIn} />
      {at !== null && (
        <p>
          <button type="button" class="primary" onClick={() => location.assign(providerUrl())}>
            {STRINGS.signInAt} {at}
          </button>
        </p>
      )}
      <p class="dim">{at === null ? STRINGS.signInWhy : STRINGS.orKey}</p>
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label>
          {STRINGS.key} <input ref={field} type="password" autocomplete="off" required />
        </label>
        <button type="submit" class={at === null ? "primary" : undefined}>
          {STRINGS.signIn}
        </button>
      </form>
    </section>
  );
}
