/** One of each, by its name: series are looked up once, so that a block does not pay for its labels. */
export function seriesTable<K extends string, V>(names: readonly K[], make: (name: K) => V): Readonly<Record<K, V>> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, V>;
}
