// What must be durable before what. Only the order of the calls shows it: a test cannot cut the power.
import { expect, test } from 'vitest';
import { ipv4, rewriteTo, temporaryMapPath } from '../../../testkit/haproxy/map-files.ts';
import { MapFile } from './map-file.ts';
import { diskOps, type MapFileOps } from './map-file-ops.ts';

/** The real disk, recording each kind of step; repeated ones once. */
function recorded(steps: string[]): MapFileOps {
  const note = (step: string) => {
    if (steps.at(-1) !== step) steps.push(step);
  };
  return {
    writeNow: (file, bytes, position) => {
      note(bytes.length === 1 ? 'flip' : 'write slots');
      return diskOps.writeNow(file, bytes, position);
    },
    write: (file, bytes, position) => {
      note('write');
      return diskOps.write(file, bytes, position);
    },
    dataSync: (file) => {
      note('sync data');
      return diskOps.dataSync(file);
    },
    sync: (file) => {
      note('sync');
      return diskOps.sync(file);
    },
    rename: (from, to) => {
      note('rename');
      return diskOps.rename(from, to);
    },
    syncFolder: (folder) => {
      note('sync folder');
      return diskOps.syncFolder(folder);
    },
  };
}

test('each step of a map file change is durable before the step that depends on it', async () => {
  const steps: string[] = [];
  const file = new MapFile({ path: await temporaryMapPath(), slots: 64, ops: recorded(steps) });
  await rewriteTo(file, ['1.1.1.1']);
  expect(steps.splice(0)).toEqual(['write', 'sync', 'rename', 'sync folder']);

  await file.add(['2.2.2.2', '3.3.3.3']);
  expect(steps.splice(0)).toEqual(['write slots', 'flip', 'sync data']);

  await file.remove(['1.1.1.1', '2.2.2.2']);
  expect(steps.splice(0)).toEqual(['flip', 'write slots', 'sync data']);

  await file.add(Array.from({ length: 65 }, (_, n) => ipv4(n)));
  expect(steps.splice(0)).toEqual(['write', 'sync data', 'write slots', 'flip', 'sync data']);

  const rewrite = await file.beginRewrite({ database: 'other', generation: 2 });
  await file.add(['4.4.4.4']);
  steps.splice(0);
  await rewrite.seal();
  expect(steps.splice(0)).toEqual(['write', 'sync']);
  await rewrite.finish();
  // The journal: 4.4.4.4 goes into a slot of the new file.
  expect(steps).toEqual(['write slots', 'flip', 'sync', 'rename', 'sync folder']);
  await file.close();
});
