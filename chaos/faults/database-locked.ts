import Database from 'better-sqlite3';
import type { Fault } from '../fault.ts';

/** Another process locks the database: changes fail, reads work. */
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
