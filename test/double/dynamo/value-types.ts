/** An attribute value as JSON 1.0 has it: one member, named for its type; `B` is base64. */
export type Value =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] }
  | { readonly L: readonly Value[] }
  | { readonly M: Item };

export type Item = Readonly<Record<string, Value>>;
