/** Facts that a server which stands in for DynamoDB answers otherwise, and why that is borne. */
export const DIVERGENCES: Readonly<
  Record<"MiniStack" | "dynoxide", Readonly<Record<string, string>>>
> = {
  MiniStack: {
    "an unknown function is refused": "taken for a condition; we send none",
    "a filter of a query does not name a key": "taken; our filter names none",
    "a consistent read takes a unit for each 4 KB begun": "counts one unit a request",
    "another read takes half of that": "counts half a unit a request",
    "a batch of reads takes a unit for each item": "tells no cost of a batch",
    "a query takes the units of all it read together": "counts one unit a request",
  },
  dynoxide: {},
};
