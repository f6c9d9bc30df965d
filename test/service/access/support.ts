import { Firn, type FirnOptions } from "../../../src/index.ts";

export const ADMIN_KEY: string = `firn_${"a1".repeat(10)}_${"s".repeat(43)}`;

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A server that asks for credentials, and whoever asks it. */
export class Team {
  readonly firn: Firn;

  private constructor(firn: Firn) {
    this.firn = firn;
  }

  static async open(more: FirnOptions = {}): Promise<Team> {
    const options = { auth: "required", bootstrapKey: ADMIN_KEY, logLevel: "silent" } as const;
    return new Team(await Firn.open({ ...options, ...more }));
  }

  async ask(key: string, method: string, path: string, body?: object): Promise<Answered> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await this.firn.fetch(new Request(`http://firn${path}`, init));
    const text = await response.text();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  }

  /** A token of this server for one of an issuer. @param type of the token: `jwt` or another. */
  async exchange(token: string, type: string): Promise<string> {
    const form = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: token,
      subject_token_type: `urn:ietf:params:oauth:token-type:${type}`,
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const init = { method: "POST", headers, body: form.toString() };
    const response = await this.firn.fetch(
      new Request("http://firn/iceberg/v1/oauth/tokens", init),
    );
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /** As the administrator; must succeed. */
  async admin(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await this.ask(ADMIN_KEY, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** A new principal with a key. */
  async principal(name: string): Promise<string> {
    await this.admin("POST", "/api/v1/principals", { name });
    const { key } = await this.admin("POST", `/api/v1/principals/${name}/keys`, {});
    return key as string;
  }

  async grant(principal: string, privileges: readonly string[], on: object = {}): Promise<void> {
    await this.admin("POST", "/api/v1/grants", { principal, privileges, ...on });
  }

  async namespace(...path: readonly string[]): Promise<void> {
    await this.admin("POST", "/iceberg/v1/default/namespaces", { namespace: path });
  }

  async table(namespace: string, name: string): Promise<void> {
    await this.admin("POST", `/iceberg/v1/default/namespaces/${namespace}/tables`, table(name));
  }
}

export function table(name: string): object {
  const fields = [{ id: 1, name: "a", type: "long", required: false }];
  return { name, schema: { type: "struct", "schema-id": 0, fields } };
}
