/** A pattern of `RegExp` that matches a text and nothing else. */
export function literalPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
