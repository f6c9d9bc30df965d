import type { Parameters } from "./operation.ts";

/** Null removes a property (RFC 7396). */
export type PropertiesPatch = Readonly<Record<string, string | null>>;

export interface UpdateMask {
  readonly updateMask?: string;
}

/** Parameters of every update. */
export const UPDATE_MASK: Parameters = {
  updateMask: {
    type: "string",
    minLength: 1,
    maxLength: 4_096,
    description: "Members of the body that count, separated by commas; absent: all of them",
  },
};
