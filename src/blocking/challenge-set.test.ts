import { mkdir, readFile, rmdir, unlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BlockingKit } from '../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import { hang, type ScriptedMaster, say } from '../../testkit/scripted-master.ts';
import type { StoppedTime } from '../../testkit/stop-time.ts';
import { codes } from '../errors/catalogue.ts';
import { type ChallengesInConfiguration, challengePath } from './challenge-set.ts';

const tokens = ['DGyRejmCefe7v4NfDGDKfA', 'evaGxfADs6pSRb2LAv9IZf17'];
const answerTo = (token: string) => `${token}.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI`;
const of = (...wanted: readonly string[]) => new Map(wanted.map((token) => [token, answerTo(token)]));
const lines = (...wanted: readonly string[]) =>
  wanted.map((token) => `${challengePath(token)} ${answerTo(token)}`).sort();

const used: ChallengesInConfiguration = {
  ...{ mapLoaded: true, obstacle: null, addresses: [], oneSuffices: true, untried: [] },
};

let kit: BlockingKit;
let master: ScriptedMaster;
let time: StoppedTime;
let close: () => Promise<void>;
let stored: ReadonlyMap<string, string>;
let usage: ChallengesInConfiguration;

const path = () => `${kit.mapPath}.acme_challenges`;
const running = (worker = master.current) =>
  master
    .map(path(), worker)
    .live()
    .map(({ key, value }) => `${key} ${value}`)
    .sort();
const file = async () =>
  (await readFile(path(), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && line[0] !== '#')
    .sort();

beforeEach(async () => {
  [stored, usage] = [of(), used];
  const challengesUsage = {
    get last() {
      return usage;
    },
    check: async () => usage,
  };
  const challenges = async () => stored;
  ({ kit, master, time, close } = await openScriptedBlocking({ loadsChallenges: true, challengesUsage, challenges }));
  await kit.trusted.updateTrustedIpsMap();
  await kit.upstreams.updateUpstreamMaps();
  await kit.https.updateHttpsMap();
  await kit.challenges.updateChallengeMap();
  await kit.reconciler.check(true);
});
afterEach(() => close());

describe('the answers to challenges', () => {
  it('are in the file and in the worker once they are shown, and no others', async () => {
    stored = of(...tokens);
    await time.during(kit.challenges.show(), 20);
    expect([running(), await file()]).toEqual([lines(...tokens), lines(...tokens)]);
    stored = of(tokens[1]!);
    await time.during(kit.challenges.show(), 20);
    expect([running(), await file()]).toEqual([lines(tokens[1]!), lines(tokens[1]!)]);
    stored = of();
    await time.during(kit.challenges.show(), 20);
    expect([running(), await file()]).toEqual([[], []]);
    expect(kit.reloads).toEqual([]);
  });

  it('are not shown if a current worker does not take them, which is named', async () => {
    stored = of(tokens[0]!);
    for (const failure of [say('Out of memory error.\n\n'), hang]) {
      master.script = (command) => (command.includes(' add map ') ? failure : undefined);
      await expect(time.during(kit.challenges.show(), 20)).rejects.toMatchObject({
        code: codes.ChallengesNotReady,
        retryAfterSeconds: 5,
        message: expect.stringContaining(`current worker ${master.current.pid}`),
      });
    }
    master.script = () => undefined;
    await kit.reconciler.check(true);
    await time.during(kit.challenges.show(), 20);
    expect(running()).toEqual(lines(tokens[0]!));
  });

  it('are not shown if the configuration has no rule for them, or the file cannot be written', async () => {
    stored = of(tokens[0]!);
    usage = { ...used, mapLoaded: false, obstacle: 'the configuration has no rule for ACME challenges' };
    await expect(time.during(kit.challenges.show(), 20)).rejects.toThrow('no rule for ACME challenges');
    expect(await file()).toEqual([]);
    usage = used;
    await unlink(path());
    await mkdir(path());
    await expect(time.during(kit.challenges.show(), 20)).rejects.toMatchObject({ code: codes.MapFileUnusable });
    expect(running()).toEqual([]);
    await rmdir(path());
    await time.during(kit.challenges.show(), 20);
    expect(await file()).toEqual(lines(tokens[0]!));
  });

  it('are shown again if another process removed them, although the database did not change', async () => {
    stored = of(tokens[0]!);
    await time.during(kit.challenges.show(), 20);
    master.map(path()).del(challengePath(tokens[0]!));
    await time.during(kit.challenges.show(), 20);
    expect(running()).toEqual(lines(tokens[0]!));
  });

  it('include a trial for as long as it lasts, also if it fails', async () => {
    stored = of(tokens[0]!);
    const trial = async (fails: boolean): Promise<string[]> => {
      const seen = [...running(), ...(await file())];
      if (fails) throw new Error(seen.join());
      return seen;
    };
    const shown = [...lines(...tokens), ...lines(...tokens)];
    const during = (fails: boolean) =>
      time.during(
        kit.challenges.during([tokens[1]!, answerTo(tokens[1]!)], () => trial(fails)),
        20,
      );
    expect(await during(false)).toEqual(shown);
    expect([running(), await file()]).toEqual([lines(tokens[0]!), lines(tokens[0]!)]);
    await expect(during(true)).rejects.toThrow(shown.join());
    expect([running(), await file()]).toEqual([lines(tokens[0]!), lines(tokens[0]!)]);
  });

  it('are in a new worker, and right again after another process changed worker and file', async () => {
    stored = of(tokens[0]!);
    await time.during(kit.challenges.show(), 20);
    master.map(path()).set(challengePath(tokens[0]!), 'x');
    master.map(path()).add(challengePath(tokens[1]!), answerTo(tokens[1]!));
    await unlink(path());
    await kit.reconciler.check(true);
    expect([running(), await file()]).toEqual([lines(tokens[0]!), lines(tokens[0]!)]);
    master.beginReload({ [path()]: [] });
    master.finishReload();
    await kit.reconciler.check(false);
    expect(running()).toEqual(lines(tokens[0]!));
  });

  it('are waited for in a worker that starts meanwhile, and not in one that drains', async () => {
    const draining = master.current;
    master.beginReload({ [path()]: [] });
    master.finishReload();
    master.script = (command) => (command.startsWith(`@!${draining.pid} `) ? hang : undefined);
    stored = of(tokens[0]!);
    await expect(time.during(kit.challenges.show(), 20)).rejects.toMatchObject({
      code: codes.ChallengesNotReady,
      message: expect.stringContaining(`current worker ${master.current.pid}`),
    });
    const seen = kit.challenges.show().then(() => running());
    await time.during(Promise.all([seen, kit.reconciler.check(true)]), 20);
    expect(await seen).toEqual(lines(tokens[0]!));
  });

  it.each([
    ['a line break', 'DGyRejmCefe7v4NfDGDKfA\nx'],
    ['a path', '../../DGyRejmCefe7v4NfDGDKfA'],
    ['a command', 'DGyRejmCefe7v4NfDGDKfA;show'],
  ])('never come from a token that is %s', async (_what, token) => {
    stored = new Map([[token, answerTo(tokens[0]!)]]);
    await expect(time.during(kit.challenges.show(), 20)).rejects.toThrow();
    expect(running()).toEqual([]);
  });
});
