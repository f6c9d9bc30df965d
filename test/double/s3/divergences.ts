/** Facts that a server which stands in for S3 does not share, and why that may be. */
export const DIVERGENCES: Readonly<
  Record<"MiniStack" | "versitygw", Readonly<Record<string, string>>>
> = {
  MiniStack: {},
  versitygw: {},
};
