import { readFile } from "node:fs/promises";
import { FirnError } from "../base/error.ts";

/** What is served of Swagger UI. */
export const DOCS_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"] as const;

export type DocsFile = (typeof DOCS_FILES)[number];

/** Where they lie: beside a build, or in the package that a clone installs. */
const PLACES = ["../swagger-ui/", "../../node_modules/swagger-ui-dist/"];

/** @throws FirnError `NotFound` `DOCS_NOT_INSTALLED`. */
export async function readDocsFile(name: DocsFile): Promise<Uint8Array> {
  for (const place of PLACES) {
    const bytes = await readFile(new URL(`${place}${name}`, import.meta.url)).catch(
      () => undefined,
    );
    if (bytes !== undefined) return bytes;
  }
  const message = "the files of Swagger UI are not installed: run npm ci";
  throw new FirnError("NotFound", "DOCS_NOT_INSTALLED", message, { file: name });
}
