// "Did you mean": the known names that differ least from an unknown one.

interface NearestNames {
  /** The least number of single-character insertions, deletions and replacements (Levenshtein distance). */
  readonly edits: number;
  /** All names with that many edits; empty only without known names. */
  readonly names: readonly string[];
}

export function nearestNames(name: string, known: readonly string[]): NearestNames {
  let nearest: NearestNames = { edits: Number.POSITIVE_INFINITY, names: [] };
  for (const candidate of known) {
    const edits = editsBetween(name, candidate);
    if (edits < nearest.edits) nearest = { edits, names: [candidate] };
    else if (edits === nearest.edits) nearest = { edits, names: [...nearest.names, candidate] };
  }
  return nearest;
}

function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < other.length; column += 1) {
      const replaced = row[column]! + (one[index] === other[column] ? 0 : 1);
      next.push(Math.min(replaced, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
