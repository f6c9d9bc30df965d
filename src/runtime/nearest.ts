/** Edits further away than this are not typing errors. */
const MAX_EDITS = 3;

/** The known name that a mistyped one most likely means, if any is near. */
export function nearest(typed: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestEdits = MAX_EDITS + 1;
  for (const name of known) {
    const edits = editDistance(typed.slice(0, 64), name);
    if (edits < bestEdits && edits < name.length) {
      best = name;
      bestEdits = edits;
    }
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours between two short texts. */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, at(beforeLast, j - 2) + 1);
      }
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], j: number): number {
  return row[j] ?? Number.POSITIVE_INFINITY;
}
