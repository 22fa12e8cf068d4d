// Sorts the rows of one call by address. A list of a million is mostly plain IPv4: such rows are sorted as numbers,
// without a call per comparison.
import { yieldToLoop } from '../concurrency/pause.ts';
import type { IpEntry } from '../domain/ip.ts';
import { type StagedRow, type StagedRows, StagedRowsBuilder } from './staged-rows.ts';

/** Address and prefix of an IPv4 row take 37 bits and its index 16: the most that a number stores exactly. */
export const MOST_ROWS = 65_536;
const PREFIXES = 32;

/** Rows packed between two yields to the event loop; one with details may cost as much as eight without. */
const ROWS_PER_YIELD = 16_384;
const DETAILED = 8;

/** Each address once, with its last row. At most `MOST_ROWS`. Throws `StoreError` for a time in another form. */
export async function sortStaged(rows: readonly StagedRow[]): Promise<StagedRows> {
  if (rows.length > MOST_ROWS) throw new RangeError(`${rows.length} rows are too many for one call`);
  const ipv4 = new Float64Array(rows.length);
  let count = 0;
  const below: number[] = [];
  const above: number[] = [];
  for (let index = 0; index < rows.length; index++) {
    const { entry } = rows[index]!;
    if (entry.family === 4) ipv4[count++] = (entry.words[3] * PREFIXES + entry.prefix - 1) * MOST_ROWS + index;
    else (isBelowIpv4(entry) ? below : above).push(index);
  }
  const builder = new StagedRowsBuilder(rows.length);
  let work = 0;
  const push = async (indices: Iterable<number>): Promise<void> => {
    for (const index of indices) {
      const row = rows[index % MOST_ROWS]!;
      builder.push(row);
      work += row.op === 'add' && row.expiry.kind === 'keep' && row.reason === undefined ? 1 : DETAILED;
      if (work < ROWS_PER_YIELD) continue;
      work = 0;
      await yieldToLoop();
    }
  };
  await push(inOrder(rows, below));
  await push(ipv4.subarray(0, count).sort());
  if (above.length > 0) await yieldToLoop();
  await push(inOrder(rows, above));
  return builder.build();
}

/** Of two rows of one address the later one comes last. */
function inOrder(rows: readonly StagedRow[], indices: number[]): number[] {
  return indices.sort((a, b) => compare(rows[a]!.entry, rows[b]!.entry) || a - b);
}

function compare(a: IpEntry, b: IpEntry): number {
  for (let word = 0; word < 4; word++) {
    const difference = a.words[word]! - b.words[word]!;
    if (difference !== 0) return difference;
  }
  return a.prefix - b.prefix;
}

/** IPv4 sorts at `::ffff:0:0/96` among the IPv6 addresses. */
function isBelowIpv4({ words }: IpEntry): boolean {
  return words[0] === 0 && words[1] === 0 && words[2] < 0xffff;
}
