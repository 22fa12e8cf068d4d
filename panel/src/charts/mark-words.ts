// Where the words of marks have room above a chart. What they say is in the tip too.

interface Mark {
  /** Of its line; pixels. */
  readonly x: number;
  /** Of its word; pixels. */
  readonly width: number;
  /** Its word comes before those of others. */
  readonly isFirst: boolean;
}

interface Room {
  readonly left: number;
  readonly right: number;
  /** Between two words. */
  readonly gap: number;
}

/** The left end of each word, beside its line: on its right, else on its left. Null: it has no room, and is left out. */
export function placesOfWords(marks: readonly Mark[], { left, right, gap }: Room): (number | null)[] {
  const places = marks.map((): number | null => null);
  const taken: { readonly from: number; readonly to: number }[] = [];
  const order = [...marks.keys()].sort((a, b) => Number(marks[b]?.isFirst) - Number(marks[a]?.isFirst));
  for (const index of order) {
    const mark = marks[index];
    if (mark === undefined) continue;
    const { x, width } = mark;
    const isFree = (from: number): boolean =>
      from >= left &&
      from + width <= right &&
      taken.every((other) => from >= other.to + gap || from + width <= other.from - gap);
    const from = [x, x - width].find(isFree);
    if (from === undefined) continue;
    places[index] = from;
    taken.push({ from, to: from + width });
  }
  return places;
}
