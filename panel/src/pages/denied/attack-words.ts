import { counted } from '../../../../src/domain/counted.ts';
import type { AttackDetail } from '../../api/types.ts';
import { count, percent } from '../../parts/figures.ts';

/** Entries that the service lists at most. */
const mostListed = 50;

/** The entries are counted by full hours, so their sum is not exact. */
const explained = 0.95;

/** What happened, in a sentence or two. @param lasted until now, or until its end; such as "45 min" */
export function attackWords(
  attack: Pick<AttackDetail, 'ended_at' | 'peak' | 'usual' | 'denied' | 'entries'>,
  lasted: string,
) {
  const { ended_at: end, peak, usual, denied, entries } = attack;
  const rise =
    end === null ? `For ${lasted}, denied requests have been at up to` : `For ${lasted}, denied requests rose to`;
  const times = usual > 0 ? `${factor(peak / usual)} times the usual ${count(usual)}` : 'usually there are none';
  const [first] = entries;
  if (first === undefined) return `${rise} ${count(peak)} a minute, ${times}.`;
  const number = `${entries.length >= mostListed ? 'at least ' : ''}${counted(entries.length, 'blocked entry', 'blocked entries')}`;
  const most = entries.length > 1 && first.denied * 2 > denied ? `, most of them by ${first.entry}` : '';
  const listed = entries.reduce((sum, entry) => sum + entry.denied, 0);
  // Of an attack that is weeks ago, or of addresses that were forgotten, the entries explain a part.
  const part = listed < denied * explained ? `About ${percent(listed / denied)} of them were` : 'They were';
  return `${rise} ${count(peak)} a minute, ${times}. ${part} denied by ${number}${most}.`;
}

function factor(value: number): string {
  return value < 10 ? value.toFixed(1).replace('.0', '') : count(value);
}
