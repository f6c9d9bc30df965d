import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import {
  type At,
  createPattern,
  KEY_TEXT,
  LIMIT,
  type NewPattern,
  patternPath,
} from "./pattern-schema.ts";
import { FLAG, listOf, object, oneOf } from "./schema.ts";

interface LinkEnds {
  readonly from: string;
  readonly to: string;
}

export interface LinkOperations {
  createLinks: Asks<"catalog" | "namespace", object, NewPattern, NewPattern>;
  addNode: Asks<At, object, { readonly node: string }, { readonly added: boolean }>;
  removeNode: Asks<At, object, { readonly node: string }, { readonly removed: boolean }>;
  linkNodes: Asks<At, object, LinkEnds, { readonly linked: boolean }>;
  unlinkNodes: Asks<At, object, LinkEnds, { readonly unlinked: boolean }>;
  listLinked: Asks<
    At,
    {
      readonly node: string;
      readonly direction: string;
      readonly after?: string;
      readonly max?: number;
    },
    undefined,
    { readonly nodes: readonly string[] }
  >;
}

const LINKS = patternPath("links");
const tag = "patterns";
const NODE: Schema = object({ node: KEY_TEXT });
const ENDS: Schema = object({ from: KEY_TEXT, to: KEY_TEXT });

export const LINK_OPERATIONS: Readonly<Record<keyof LinkOperations, ApiOperation>> = {
  createLinks: createPattern("links", "Create a table of links between nodes"),
  addNode: {
    method: "POST",
    template: `${LINKS}:add-node`,
    tag,
    summary: "Add a node; false where it is there",
    needs: ["write-data"],
    body: NODE,
    status: 200,
    answer: object({ added: FLAG }),
  },
  removeNode: {
    method: "POST",
    template: `${LINKS}:remove-node`,
    tag,
    summary: "Remove a node; 409 while it has links, false where there is none",
    needs: ["write-data"],
    body: NODE,
    status: 200,
    answer: object({ removed: FLAG }),
  },
  linkNodes: {
    method: "POST",
    template: `${LINKS}:link`,
    tag,
    summary: "Link a node to another; false where it is linked",
    needs: ["write-data"],
    body: ENDS,
    status: 200,
    answer: object({ linked: FLAG }),
  },
  unlinkNodes: {
    method: "POST",
    template: `${LINKS}:unlink`,
    tag,
    summary: "Remove a link; false where there is none",
    needs: ["write-data"],
    body: ENDS,
    status: 200,
    answer: object({ unlinked: FLAG }),
  },
  listLinked: {
    method: "GET",
    template: `${LINKS}/linked`,
    tag,
    summary: "List the nodes that a node is linked with, in the order of their names",
    needs: ["read-data"],
    required: ["node", "direction"],
    query: {
      node: KEY_TEXT,
      direction: {
        ...oneOf("from", "to"),
        description: "from: nodes that it links to; to: nodes that link to it",
      },
      after: { ...KEY_TEXT, description: "Behind this node" },
      max: LIMIT,
    },
    status: 200,
    answer: object({ nodes: listOf(KEY_TEXT) }),
  },
};
