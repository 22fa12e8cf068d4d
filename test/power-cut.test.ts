// Promises 1, 4 and 10: unsynced data may be lost. `npm run chaos:power-cut` tests hundreds of failures, this file
// one, or five in `npm run test:long`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Loss } from '../chaos/power-cut/disk.ts';
import { fail, type PowerFailure } from '../chaos/power-cut/failure.ts';
import { type Recording, record, straceIsThere } from '../chaos/power-cut/recording.ts';
import type { Player } from '../chaos/power-cut/write-log.ts';
import { Random } from '../chaos/random.ts';
import { itInLongTests, testProxies } from '../testkit/proxies.ts';

const bin = testProxies().found.at(-1)?.bin;
const skipped = bin === undefined ? ': skipped, there is no HAProxy' : ': skipped, strace is missing';

describe.skipIf(bin === undefined || !straceIsThere())(
  `a power failure${bin !== undefined && straceIsThere() ? '' : skipped}`,
  () => {
    let recording: Recording;
    let player: Player;
    beforeAll(async () => {
      recording = await record(bin!, new Random(4));
      player = recording.log.player(recording.before());
    });
    afterAll(() => recording?.stop());

    /** Right after the answer to the first operation of this kind, or `later` calls afterwards. */
    function after(what: string, loss: Loss, later = 0): PowerFailure {
      const id = recording.operations.find((operation) => operation.what.startsWith(what))?.id;
      const answer = recording.log.answers().find((one) => one.id === id);
      if (answer === undefined) throw new Error(`nothing was answered to ${what}`);
      return { at: answer.at + 1 + later, loss, seed: 4 };
    }

    it('after the first answer of the first start keeps that change and the key', async () => {
      expect(await fail(recording, player, bin!, after('block', 'all'))).toEqual([]);
    });

    itInLongTests('in a batch, with torn writes, keeps what was acknowledged before', async () => {
      expect(await fail(recording, player, bin!, after('batch', 'anything', 40))).toEqual([]);
    });

    itInLongTests('after an acknowledged replacement of the list keeps all of it', async () => {
      expect(await fail(recording, player, bin!, after('PUT', 'all'))).toEqual([]);
    });

    itInLongTests('after a reload, with torn writes, leaves a configuration that HAProxy accepts', async () => {
      expect(await fail(recording, player, bin!, after('site', 'anything', 25))).toEqual([]);
    });

    itInLongTests('after the last answer, without any unsynced write, loses nothing', async () => {
      const at = recording.log.length;
      expect(await fail(recording, player, bin!, { at, loss: 'all', seed: 4 })).toEqual([]);
    });
  },
);
