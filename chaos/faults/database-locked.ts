import Database from 'better-sqlite3';
import type { Fault } from '../fault.ts';

/** Another process holds the database: no change gets through, reads do. */
export const databaseLocked: Fault = {
  name: 'database-locked',
  excuses: { storage: true },
  async strike({ service: { paths } }) {
    const other = new Database(paths.database, { fileMustExist: true, timeout: 1_000 });
    other.exec('begin exclusive');
    return {
      detail: paths.database,
      heal: async () => {
        other.exec('rollback');
        other.close();
      },
    };
  },
};
