import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const FILE = join(import.meta.dirname, "../fixtures/iceberg/rest-catalog-open-api.yaml");

/** A JSON schema as OpenAPI 3.1 has them, as far as the contract makes use of them. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly discriminator?: { readonly mapping?: Readonly<Record<string, string>> };
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: "path" | "query" | "header";
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** One operation of the contract. */
export interface ContractOperation {
  readonly method: string;
  readonly template: string;
  /** Names of the query parameters, and of the headers in lower case. */
  readonly query: readonly string[];
  readonly headers: readonly string[];
  readonly body: Schema | undefined;
}

/** The Iceberg REST contract (Apache Iceberg, August 2026). */
export interface Contract {
  readonly operations: readonly ContractOperation[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

const METHODS = ["get", "head", "post", "put", "patch", "delete"] as const;

/** Reads the contract out of its OpenAPI document. */
export function readContract(): Contract {
  const document = parse(readFileSync(FILE, "utf8")) as Document;
  const operations = Object.entries(document.paths).flatMap(([template, path]) =>
    METHODS.flatMap((method) => {
      const described = path[method] as Described | undefined;
      if (described === undefined) return [];
      const shared = (path["parameters"] ?? []) as readonly Parameter[];
      const parameters = [...shared, ...(described.parameters ?? [])].map((parameter) =>
        resolved(document, parameter),
      );
      const named = (place: Parameter["in"]) =>
        parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
      const content = Object.values(described.requestBody?.content ?? {})[0];
      return {
        method: method.toUpperCase(),
        template,
        query: named("query"),
        headers: named("header").map((name) => name.toLowerCase()),
        body: content?.schema,
      };
    }),
  );
  return { operations, schemas: document.components.schemas };
}

function resolved(document: Document, parameter: Parameter): Parameter {
  const name = parameter.$ref?.split("/").at(-1);
  if (name === undefined) return parameter;
  const found = document.components.parameters[name];
  if (found === undefined) throw new Error(`the contract has no parameter ${name}`);
  return found;
}
