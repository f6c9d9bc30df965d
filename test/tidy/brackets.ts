/** The offset of what closes the bracket at `open`. */
export function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (/[{[(]/.test(code.charAt(at))) depth++;
    if (/[}\])]/.test(code.charAt(at)) && --depth === 0) return at;
  }
  return code.length;
}

/** The innermost bracket that is open before an offset. */
export function opener(code: string, offset: number): string {
  let depth = 0;
  for (let at = offset - 1; at >= 0; at--) {
    const c = code.charAt(at);
    if (/[}\])]/.test(c)) depth++;
    if (/[{[(]/.test(c) && depth-- === 0) return c;
  }
  return "";
}
