import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../settings.ts';
import { causeText } from '../telemetry/log.ts';
import { writeMarker } from './instance-marker.ts';
import { openState, StartRefused } from './open-state.ts';

it.each([
  ['missing', null],
  ['empty', ''],
  ['damaged', 'this is no database, but it may be needed\n'.repeat(200)],
])(
  'a database that is %s although one existed is refused in one sentence with each remedy once',
  async (_how, text) => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-state-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const database = join(folder, 'test.sqlite');
    const environment = { PROXY_MANAGER_PREFIX: folder, PROXY_MANAGER_DATABASE_URL: `sqlite:${database}` };
    const settings = { ...readSettings(environment, {}, () => ''), stateDir: folder };
    await writeMarker(folder, { database_id: 'b03da3cb-7fe1-48dc-a961-4ccca93387ce' });
    if (text !== null) await writeFile(database, text);
    const error = await openState(settings).then(
      () => expect.fail('it was opened'),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StartRefused);
    const said = causeText(error);
    for (const once of ['estore it from a backup', '--accept-empty-database', `the database ${database}`]) {
      expect(said.split(once)).toHaveLength(2);
    }
    expect((await readdir(folder)).sort()).toEqual(
      text === null ? ['instance.json'] : ['instance.json', 'test.sqlite'],
    );
  },
);
