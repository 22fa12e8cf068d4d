// `npm run chaos:power-cut -- --seed S --points N [--proxy-bin BIN]`: N power failures in one recording.
import { parseArgs } from 'node:util';
import { chooseFailures, fail } from './power-cut/failure.ts';
import { record } from './power-cut/recording.ts';
import { Random } from './random.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    points: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    'proxy-bin': { type: 'string', default: 'haproxy' },
  },
});
const bin = values['proxy-bin'];
const [seed, points, from] = [Number(values.seed), Number(values.points), Number(values.from)];
let stopping = false;
process.once('SIGINT', () => {
  stopping = true;
});

const began = performance.now();
const random = new Random(seed);
const recording = await record(bin, random);
let [done, failed] = [0, 0];
try {
  const failures = chooseFailures(recording, random, points);
  process.stdout.write(
    `seed ${seed}: ${recording.operations.length} operations, ${recording.log.answers().length} answers, ${recording.log.length} calls\n`,
  );
  const player = recording.log.player(recording.before());
  for (const [index, failure] of failures.entries()) {
    if (index + 1 < from) continue;
    if (stopping) break;
    const wrong = await fail(recording, player, bin, failure);
    done += 1;
    if (wrong.length === 0) continue;
    failed += 1;
    process.exitCode = 1;
    process.stdout.write(
      `point ${index + 1} (call ${failure.at}, lost: ${failure.loss}): ${wrong.slice(0, 8).join('; ')}\n` +
        `  again: npm run chaos:power-cut -- --seed ${seed} --points ${points} --from ${index + 1} --proxy-bin ${bin}\n`,
    );
  }
} finally {
  await recording.stop();
}
process.stdout.write(
  `${done} power failures, ${done - failed} kept every promise, ${failed} did not; ${Math.round((performance.now() - began) / 1_000)} s\n`,
);
