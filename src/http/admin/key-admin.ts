import type { FastifyInstance } from "fastify";
import { invalid } from "../../base/error.ts";
import type { NewAdminKey } from "../../service/access/reset-admin.ts";
import type { SigningKeyInfo } from "../../service/access/signing-keys.ts";
import { fieldsOf } from "./requests.ts";

/** Keys of a deployment and its first account, for who operates it. */
export interface KeyAdmin {
  /** Those that sign access tokens, the newest first. */
  signingKeys(): Promise<readonly SigningKeyInfo[]>;
  /** As `SigningKeys.replace`. */
  rotateSigningKeys(): Promise<SigningKeyInfo>;
  /** As `resetAdmin`, in the default account. */
  resetAdmin(name: string, keepsKeys: boolean): Promise<NewAdminKey>;
}

const ADMIN = "/admin/v1";

/** The routes of `firn keys` and `firn access reset-admin`. */
export function addKeyRoutes(app: FastifyInstance, keys: KeyAdmin): void {
  app.get(`${ADMIN}/signing-keys`, async () => ({ items: await keys.signingKeys() }));
  app.post(`${ADMIN}/signing-keys`, async ({ body }, reply) => {
    fieldsOf(body);
    reply.code(201);
    return keys.rotateSigningKeys();
  });
  app.post(`${ADMIN}/administrators`, async ({ body }, reply) => {
    const { name, keepsKeys = false } = fieldsOf(body);
    if (typeof name !== "string" || typeof keepsKeys !== "boolean") {
      const message = "invalid body: `name` must be a text, `keepsKeys` true or false";
      throw invalid("ADMIN_REQUEST_INVALID", message);
    }
    const made = await keys.resetAdmin(name, keepsKeys);
    // It holds a key.
    reply.code(201).header("Cache-Control", "no-store");
    return made;
  });
}
