/** A file that `npm run gen` writes and `npm run check` compares. */
export interface Generated {
  /** Relative to the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
}
