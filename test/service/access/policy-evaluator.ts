/*
 * IAM's rules for the policies of sessions, as AWS documents them ("Policy evaluation logic",
 * "String condition operators", "IAM policy elements: Variables and tags"): nothing is allowed but
 * what a statement allows, and a Deny wins. `*` is any text, `?` any character, `${*}`, `${?}` and
 * `${$}` are those characters; every other `${…}` is a variable, which has no value here.
 */

export interface AskedOfStore {
  readonly action: string;
  readonly resource: string;
  /** Of a list. */
  readonly prefix?: string;
}

interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: { readonly StringLike?: Readonly<Record<string, string>> };
}

type Token = { readonly text: string } | "any" | "one" | "nothing";

function tokensOf(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i] ?? "";
    if (character === "*") tokens.push("any");
    else if (character === "?") tokens.push("one");
    else if (pattern.startsWith("${", i)) {
      const end = pattern.indexOf("}", i + 2);
      const name = pattern.slice(i + 2, end);
      tokens.push(["*", "?", "$"].includes(name) ? { text: name } : "nothing");
      i = end;
    } else tokens.push({ text: character });
  }
  return tokens;
}

/** Whether a text is like a pattern: every place of the text that a prefix of it can reach. */
export function isLike(text: string, pattern: string): boolean {
  let reached = new Set([0]);
  for (const token of tokensOf(pattern)) {
    const next = new Set<number>();
    for (const at of reached) {
      if (token === "any") for (let i = at; i <= text.length; i++) next.add(i);
      else if (token === "one") {
        if (at < text.length) next.add(at + 1);
      } else if (token !== "nothing" && text.startsWith(token.text, at)) {
        next.add(at + token.text.length);
      }
    }
    reached = next;
  }
  return reached.has(text.length);
}

function each(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}

function applies({ Action, Resource, Condition }: Statement, asked: AskedOfStore): boolean {
  if (!each(Action).some((action) => isLike(asked.action, action))) return false;
  if (!each(Resource).some((resource) => isLike(asked.resource, resource))) return false;
  return Object.entries(Condition?.StringLike ?? {}).every(
    ([key, pattern]) =>
      key === "s3:prefix" && asked.prefix !== undefined && isLike(asked.prefix, pattern),
  );
}

/** Whether a session with this policy may do it, whose role may do everything. */
export function allows(policy: string, asked: AskedOfStore): boolean {
  const { Statement: statements } = JSON.parse(policy) as { Statement: readonly Statement[] };
  const found = statements.filter((statement) => applies(statement, asked));
  return found.length > 0 && found.every(({ Effect }) => Effect === "Allow");
}
