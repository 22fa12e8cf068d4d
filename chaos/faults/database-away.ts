import { rename } from 'node:fs/promises';
import { eventually } from '../../testkit/conditions.ts';
import type { Fault } from '../fault.ts';

/** The database, or its write-ahead log, is moved away and put back. */
export const databaseAway: Fault = {
  name: 'database-away',
  excuses: { storage: true },
  async strike({ service: { paths } }, random) {
    const path = `${paths.database}${random.pick(['', '-wal'])}`;
    const away = `${path}.away`;
    await rename(path, away);
    return {
      detail: path,
      heal: () => eventually('it is back', () => rename(away, path).then(() => true)).then(() => undefined),
    };
  },
};
