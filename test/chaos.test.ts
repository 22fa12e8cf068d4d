// A fixed round, and in the long tests one with an attached service. `npm run chaos` is the long run.
import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runRounds } from '../chaos/engine.ts';
import { attachedFaults, faults } from '../chaos/faults.ts';
import type { RoundResult } from '../chaos/round.ts';
import { ChaosStack } from '../chaos/stack.ts';
import { describeOnNewestProxy, describeOnOneProxy, longTests } from '../testkit/proxies.ts';

const seed = 24;
const rounds = longTests ? 20 : 1;
const chosen = ['kill-service', 'kill-master', 'foreign-reload', 'pause-worker', 'foreign-running-map-edit'];

describeOnNewestProxy('chaos', ({ bin }) => {
  it('keeps every promise while faults are injected', async () => {
    const results: RoundResult[] = [];
    const said: string[] = [];
    await runRounds({
      bin,
      seed,
      from: 1,
      rounds,
      faults: faults.filter(({ name }) => chosen.includes(name)),
      attached: false,
      replayOptions: ` --only ${chosen.join(',')} --proxy-bin ${bin}`,
      shrinkTries: 0,
      keep: false,
      signal: new AbortController().signal,
      say: (text) => said.push(text),
      onRound: (result) => results.push(result),
    });
    expect(said.join('\n')).toBe('');
    expect(results).toHaveLength(rounds);
    expect(new Set(results.flatMap(({ struck }) => struck)).size).toBeGreaterThan(1);
    for (const { operations, requests } of results) {
      expect(operations).toBeGreaterThan(15);
      expect(requests).toBeGreaterThan(0);
    }
  });
});

if (longTests) {
  // attached.test.ts removes the rule without chaos.
  describeOnOneProxy('chaos of an attached service', ({ bin }) => {
    it('keeps every promise while the operator removes the rule', async () => {
      const results: RoundResult[] = [];
      const said: string[] = [];
      const fault = 'rule-removed';
      await runRounds({
        bin,
        seed: 1,
        from: 1,
        rounds: 1,
        faults: attachedFaults.filter(({ name }) => name === fault),
        attached: true,
        replayOptions: ` --attached --only ${fault} --proxy-bin ${bin}`,
        shrinkTries: 0,
        keep: false,
        signal: new AbortController().signal,
        say: (text) => said.push(text),
        onRound: (result) => results.push(result),
      });
      expect(said.join('\n')).toBe('');
      expect(results).toMatchObject([{ struck: [fault] }]);
    });
  });

  // A test of the faults, not of the product.
  describeOnNewestProxy('the operator of chaos', ({ bin }) => {
    it('reloads HAProxy after an edit although the master socket is missing', async () => {
      const stack = await ChaosStack.start(bin, true);
      try {
        const { service, operator } = stack;
        await service.healthy();
        const editing = operator!.edit('comment');
        // After the edit, so that the service leaves the reload to the operator.
        await rm(service.paths.masterSocket);
        await editing;
        await operator!.loaded();
        await service.healthy();
      } finally {
        await stack.stop();
      }
    });
  });
}
