import type { Table, View } from "../api/resources.ts";
import { ApiError, problemIn } from "../client/client.ts";
import { send } from "./session.ts";

/** What an Iceberg commit asks for, as text: no number of JavaScript holds every id of 64 bits. */
export interface CommitText {
  readonly requirements: readonly string[];
  readonly updates: readonly string[];
}

/**
 * Commits to an Iceberg table or view; a dry run only asks whether it would be taken.
 *
 * @throws ApiError what the server refuses; what `fetch` throws.
 */
export async function commitTo(
  { type, catalog, namespace, name }: Table | View,
  { requirements, updates }: CommitText,
  isDryRun = false,
): Promise<void> {
  const [prefix, of] = [catalog, name].map(encodeURIComponent);
  const levels = encodeURIComponent(namespace.join("\u001f"));
  const path = `/iceberg/v1/${prefix}/namespaces/${levels}/${type}s/${of}`;
  const response = await send(
    new Request(`${location.origin}${path}${isDryRun ? "?dry-run=true" : ""}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: `{"requirements":[${requirements.join(",")}],"updates":[${updates.join(",")}]}`,
    }),
  );
  if (!response.ok) throw refusalOf(response, await response.text());
}

function refusalOf({ status, headers }: Response, text: string): ApiError {
  const problem = problemIn(status, text);
  const code = headers.get("X-Firn-Error") ?? problem.code;
  try {
    const { error } = JSON.parse(text) as { error: { message: string } };
    return new ApiError({ ...problem, code, detail: error.message });
  } catch {
    return new ApiError({ ...problem, code });
  }
}
