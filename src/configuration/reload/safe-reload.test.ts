import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { confirmed, type ReloadFixture, refused, reloadFixture } from '../../../testkit/configuration/safe-reload.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { statusOf } from './reload-record.ts';

let fixture: ReloadFixture;
beforeEach(async () => {
  fixture = await reloadFixture('old\n');
  await fixture.backups.markKnownGood('old\n', []);
});
afterEach(() => fixture.stop());

const run = (more: object = {}) => fixture.safeReload.run({ id: 'r1', reasons: ['asked'], ...more });
const failure = async (more: object = {}): Promise<ServiceError> => {
  const error = await run(more).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
};
const leftovers = async () =>
  (await readdir(fixture.folder)).filter(
    (name) => !['backups', 'live-configuration', 'proxy', 'proxy.cfg'].includes(name),
  );
const edit = (text: string) => writeFile(join(fixture.folder, 'proxy.cfg'), text);
const knownGood = async () => (await fixture.backups.readKnownGood())?.configText;

describe('a safe reload', () => {
  it('backs up, validates, writes the maps, reloads, and then is the known good', async () => {
    const done = await run();
    expect(fixture.events).toEqual([
      'Backup created',
      'maps',
      'Configuration validation passed',
      'maps',
      'reload',
      'Safe reload completed',
    ]);
    expect(done).toMatchObject({ id: 'r1', status: 'completed', changed: true, worker_before: 1, worker_after: 2 });
    expect(fixture.loaded).toEqual(['new\n']);
    expect(await knownGood()).toBe('new\n');
    expect((await fixture.backups.read(done.backup!)).configText).toBe('old\n');
    expect(await leftovers()).toEqual([]);
  });

  it('reloads an unchanged configuration without replacing it', async () => {
    fixture.does.render = () => ({ text: 'old\n' });
    expect(await run()).toMatchObject({ changed: false });
    expect(fixture.loaded).toEqual(['old\n']);
  });

  it('makes no backup of a first configuration', async () => {
    await fixture.stop();
    fixture = await reloadFixture(null);
    expect(await run()).toMatchObject({ backup: null, changed: true });
    expect(await fixture.live()).toBe('new\n');
  });

  it('never deploys a configuration that HAProxy refuses, and reloads the known good with the maps', async () => {
    fixture.does.render = () => ({ text: 'bad\n', sites: 'a\n' });
    const error = await failure();
    expect(error.code).toBe(codes.ProxyRefusesConfiguration);
    expect(error.members).toMatchObject({ restored: true, worker_before: 1, worker_after: 2 });
    expect(error.members.output).toContain(`${join(fixture.folder, 'proxy.cfg')}:1`);
    expect(fixture.loaded).toEqual(['old\n']);
    expect(fixture.events).toEqual([
      'Backup created',
      'maps',
      'Configuration validation failed',
      'maps',
      'Backup restored',
      'reload',
    ]);
    expect(await fixture.live()).toBe('old\n');
    expect(await leftovers()).toEqual([]);
  });

  it('reloads the known good when the template is refused, and passes on its message', async () => {
    fixture.does.render = () => {
      throw new ServiceError(codes.TemplateRefused, 'render', 'no such variable', { members: { output: 'line 3' } });
    };
    const error = await failure();
    expect(error).toMatchObject({ code: codes.TemplateRefused, members: { output: 'line 3', restored: true } });
    expect(fixture.loaded).toEqual(['old\n']);
  });

  it('is refused without consent if the live file was edited or is foreign, before anything changes', async () => {
    await edit('edited\n');
    expect(await failure()).toMatchObject({ status: 409, code: codes.LiveConfigurationKept });
    fixture.does.render = () => ({ text: 'bad\n' });
    const error = await failure({ sites: { list: [], store: async () => undefined } });
    expect(error.detail).toMatch(/proxy\.cfg was written or edited by hand.*--replace-configuration/);
    expect(await fixture.live()).toBe('edited\n');
    expect([fixture.events, fixture.loaded, (await fixture.backups.list()).sets]).toEqual([[], [], []]);
  });

  it('needs no consent to replace an equal text, or one that the stored sites render', async () => {
    await edit('edited\n');
    fixture.does.render = () => ({ text: 'edited\n' });
    expect(await run()).toMatchObject({ changed: false });
    await edit('stored\n');
    let renders = 0;
    // First with the new site, then with the stored ones.
    fixture.does.render = () => ({ text: ++renders === 1 ? 'with a site\n' : 'stored\n' });
    const store = async () => undefined;
    expect(await run({ sites: { list: [], store } })).toMatchObject({ changed: true });
  });

  it('replaces a foreign file with consent, and never prunes its backup', async () => {
    await edit('edited\n');
    const { backup } = await run({ replace: true });
    expect(fixture.events[0]).toMatch(/edited by hand/);
    for (let turn = 0; turn < 25; turn += 1) {
      fixture.does.render = () => ({ text: `${turn}\n` });
      await run();
    }
    const { sets } = await fixture.backups.list();
    expect(sets).toHaveLength(21);
    expect(sets.at(-1)).toMatchObject({ id: backup, written_by: 'other' });
    expect((await fixture.backups.read(backup!)).configText).toBe('edited\n');
  });

  it.each([
    ['is refused', () => ({ text: 'bad\n' }), null],
    ['is not confirmed', () => ({ text: 'new\n' }), refused()],
  ])('restores the foreign file when the replacement %s', async (_how, render, outcome) => {
    await edit('edited\n');
    fixture.does.render = render;
    if (outcome !== null) fixture.does.reload = (text) => (text === 'new\n' ? outcome : confirmed(1, 3));
    expect((await failure({ replace: true })).members).toMatchObject({
      restored: true,
      worker_after: expect.any(Number),
    });
    expect(await fixture.live()).toBe('edited\n');
    expect(fixture.loaded.at(-1)).toBe('edited\n');
    expect((await failure()).code).toBe(codes.LiveConfigurationKept);
  });

  it('after a restored backup asks for consent, and after one with consent it does not', async () => {
    await run({ restore: { configText: 'of a backup\n', files: [], backup: 'b1' } });
    expect((await failure()).detail).toContain('is the backup b1, which was restored');
    await run({ replace: true });
    fixture.does.render = () => ({ text: 'newer\n' });
    expect(await run()).toMatchObject({ changed: true });
  });

  it('of the unchanged live configuration does not change the recorded origin', async () => {
    await edit('edited\n');
    await run({ restore: { configText: 'edited\n', files: [] } });
    expect((await failure()).code).toBe(codes.LiveConfigurationKept);
  });

  it('whose backup equals the one before keeps one of them, and names it', async () => {
    const first = (await run()).backup;
    fixture.does.render = () => ({ text: 'newer\n' });
    const second = (await run()).backup;
    const third = (await run()).backup;
    const fourth = (await run()).backup;
    expect((await fixture.backups.list()).sets.map(({ id }) => id)).toEqual([third, second, first]);
    expect(fourth).toBe(third);
    fixture.does.render = () => ({ text: 'bad\n' });
    expect((await failure()).members.backup).toBe(third);
    expect((await fixture.backups.list()).sets).toHaveLength(3);
  });

  it('that fails again and again leaves one backup, and names it', async () => {
    await edit('edited\n');
    const again = { restore: { configText: 'edited\n', files: [] } };
    const fail = async () => (await failure(again)).members.backup;
    fixture.does.reload = () => refused('not-running');
    const backup = await fail();
    expect(await fail()).toBe(backup);
    fixture.does.reload = () => refused();
    expect(await fail()).toBe(backup);
    // Before there is a candidate, too.
    fixture.does.writeMaps = () => Promise.reject(new ServiceError(codes.MapFileUnusable, 'maps', 'full'));
    await failure(again);
    expect((await fixture.backups.list()).sets.map(({ id }) => id)).toEqual([backup]);
  });

  it('reports HAProxy’s warnings as its own', async () => {
    await writeFile(
      join(fixture.folder, 'proxy'),
      "#!/bin/sh\necho '[NOTICE]   (7) : haproxy version is 2.6' >&2\necho '[WARNING]  (7) : config : odd' >&2\necho '  and more' >&2\necho 'Configuration file is valid'\n",
    );
    expect((await run()).warnings).toEqual(['HAProxy: config : odd and more']);
  });

  it.each(['refused', 'unconfirmed'] as const)(
    'that is %s by the running proxy is rolled back, with its message',
    async (reason) => {
      fixture.does.reload = (text) =>
        text === 'new\n'
          ? refused(reason)
          : { ...refused(), confirmed: true, workerAfter: 3, by: 'signal', processes: null };
      const error = await failure();
      expect(error).toMatchObject({
        code: codes.ReloadRolledBack,
        members: { restored: true, worker_before: 1, worker_after: 3, output: 'cannot bind socket' },
      });
      expect(error.detail).toMatch(/cannot bind socket.*last known good configuration is back in force/);
      expect(fixture.loaded).toEqual(['new\n', 'old\n']);
      expect(await knownGood()).toBe('old\n');
    },
  );

  it('whose rollback fails too names both causes', async () => {
    fixture.does.reload = (text) =>
      ({ ...refused(), detail: text === 'new\n' ? 'first cause' : 'second cause' }) as never;
    const error = await failure();
    expect(error.detail).toMatch(/first cause.*second cause/);
    expect(error.members.restore_failure).toContain('second cause');
    expect(await fixture.live()).toBe('old\n');
  });

  it.each(['not-running', 'unconfirmed'] as const)(
    'of the unchanged live configuration keeps a manual edit when HAProxy is %s',
    async (reason) => {
      await writeFile(join(fixture.folder, 'proxy.cfg'), 'edited\n');
      fixture.does.reload = () => refused(reason);
      const error = await failure({ restore: { configText: 'edited\n', files: [] } });
      expect(await fixture.live()).toBe('edited\n');
      expect(fixture.loaded).toEqual(['edited\n']);
      expect(error.detail).toContain('the live configuration is unchanged');
      expect(error.members.restored).toBe(false);
    },
  );

  it('without a running proxy reports that, restores the previous bytes and tries no second reload', async () => {
    fixture.does.reload = () => refused('not-running');
    expect((await failure()).code).toBe(codes.ProxyNotRunning);
    expect(fixture.loaded).toHaveLength(1);
    expect(await fixture.live()).toBe('old\n');
  });

  it('whose sites cannot be stored removes them from HAProxy again', async () => {
    const stored = new ServiceError(codes.DatabaseUnusable, 'store', 'the disk is full');
    const error = await failure({ sites: { list: [], store: () => Promise.reject(stored) } });
    expect(error).toMatchObject({ code: codes.DatabaseUnusable, members: { restored: true } });
    expect(error.detail).toMatch(/the disk is full.*back in force/);
    expect(fixture.loaded).toEqual(['new\n', 'old\n']);
    expect(await fixture.live()).toBe('old\n');
    expect(await knownGood()).toBe('old\n');
    expect(fixture.events).not.toContain('Safe reload completed');
  });

  it('whose map file cannot be written after the switch restores the previous bytes', async () => {
    let calls = 0;
    fixture.does.writeMaps = async () => {
      calls += 1;
      if (calls === 2) throw new ServiceError(codes.MapFileUnusable, 'maps', 'no space left');
    };
    expect((await failure()).code).toBe(codes.MapFileUnusable);
    expect(await fixture.live()).toBe('old\n');
    expect(fixture.loaded).toEqual(['old\n']);
  });

  it('deploys nothing if the candidate changed during the validation', async () => {
    fixture.does.render = () => ({ text: 'forge\n' });
    expect((await failure()).detail).toContain('while it was validated');
    expect(await fixture.live()).toBe('old\n');
    expect(fixture.loaded).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  it.each([
    ['another', 'new\n'],
    ['the same', 'old\n'],
  ])('of %s configuration changes nothing if the live one was edited meanwhile', async (_which, text) => {
    fixture.does.render = () => ({ text });
    fixture.does.writeMaps = () => edit('edited\n');
    const error = await failure();
    expect(error).toMatchObject({ status: 409, code: codes.Conflict });
    expect(error.detail).toMatch(/proxy\.cfg was edited .* while .* so nothing was changed.*repeat/);
    expect(statusOf(error)).toBe('refused');
    expect([await fixture.live(), fixture.loaded, await leftovers()]).toEqual(['edited\n', [], []]);
    expect((await fixture.origin.of('edited\n')).live).toBe('other');
    expect((await fixture.origin.of('old\n')).live).toBe('rendered');
  });

  it('that is refused keeps a concurrent edit', async () => {
    fixture.does.render = () => ({ text: 'bad\n' });
    fixture.does.writeMaps = () => edit('edited\n');
    expect(await failure()).toMatchObject({ status: 422, members: { restored: false } });
    expect([await fixture.live(), fixture.loaded]).toEqual(['edited\n', []]);
  });

  it('that is rolled back keeps an edit that was made since its switch as a backup, and names it', async () => {
    fixture.does.reload = async (text) => {
      if (text !== 'new\n') return confirmed(1, 3);
      await edit('edited\n');
      return refused();
    };
    const error = await failure();
    expect([await fixture.live(), fixture.loaded.at(-1)]).toEqual(['old\n', 'old\n']);
    const [newest] = (await fixture.backups.list()).sets;
    expect(newest).toMatchObject({ written_by: 'other' });
    expect((await fixture.backups.read(newest!.id)).configText).toBe('edited\n');
    expect(error.detail).toContain(`an edit made meanwhile is the backup ${newest!.id}`);
  });

  it('of the unchanged live configuration does not undo an edit made since it was read', async () => {
    await edit('edited\n');
    expect((await failure({ restore: { configText: 'old\n', files: [] } })).code).toBe(codes.Conflict);
    expect([await fixture.live(), fixture.loaded]).toEqual(['edited\n', []]);
  });

  it('with the last known good in place of a missing file does not change the recorded origin', async () => {
    await rm(join(fixture.folder, 'proxy.cfg'));
    await run({ restore: { configText: 'by hand\n', files: [] } });
    expect((await fixture.origin.of('by hand\n')).live).toBe('other');
  });

  it('completes with a warning if the workers could not be compared', async () => {
    fixture.does.verify = () => Promise.reject(new Error('the socket is gone'));
    const done = await run();
    expect(done.warnings).toEqual([expect.stringContaining('the socket is gone')]);
    expect(await knownGood()).toBe('new\n');
  });

  it('releases its lock with a warning if a comparison does not end, in a rollback too', async () => {
    fixture.does.verify = () => new Promise(() => undefined);
    const done = await run();
    expect(done.warnings).toEqual([expect.stringContaining('not compared within 0.2 s')]);
    expect(await knownGood()).toBe('new\n');
    fixture.does.render = () => ({ text: 'bad\n' });
    expect((await failure()).members).toMatchObject({ restored: true });
    expect(fixture.events).toContainEqual(expect.stringContaining('not compared within 0.2 s'));
  });

  it('without a HAProxy that can validate is a 503, and changes nothing', async () => {
    await writeFile(join(fixture.folder, 'proxy'), '#!/bin/sh\nkill -9 $$\n');
    expect(await failure()).toMatchObject({ status: 503, code: codes.Unavailable });
    expect(await fixture.live()).toBe('old\n');
    expect(await leftovers()).toEqual([]);
  });

  it('keeps the sites map of the known good, and collects those of others', async () => {
    for (const sites of ['a\n', 'b\n', 'c\n']) {
      fixture.does.render = () => ({ text: 'new\n', sites });
      await run();
    }
    expect(await leftovers()).toHaveLength(2);
    fixture.does.render = () => ({ text: 'bad\n', sites: 'd\n' });
    await failure();
    const [kept, ...others] = await leftovers();
    expect(others).toEqual([]);
    expect(await fixture.live()).toContain(kept);
  });
});
