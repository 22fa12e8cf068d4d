import { expect, it } from 'vitest';
import { Random } from '../random.ts';
import { Changes, FileNode, FolderNode } from './disk.ts';

const seeds = Array.from({ length: 200 }, (_, seed) => new Random(seed));

it('keeps what was synced, whatever is lost', () => {
  const changes = new Changes();
  const file = new FileNode(changes);
  file.write(0, Buffer.from('synced'));
  file.synced(changes.last);
  file.write(6, Buffer.from(' and not'));
  for (const random of seeds) {
    expect(file.after('anything', random, 0).toString('latin1', 0, 6)).toBe('synced');
  }
  expect(file.after('all', seeds[0]!, 0).toString()).toBe('synced');
  expect(file.after('nothing', seeds[0]!, 0).toString()).toBe('synced and not');
});

it('never keeps the later of two writes to a sector without the earlier', () => {
  const changes = new Changes();
  const file = new FileNode(changes, Buffer.alloc(64, ' '));
  file.write(0, Buffer.from('#1.2.3.4 1'));
  file.write(0, Buffer.from('1'));
  const seen = new Set(seeds.map((random) => file.after('anything', random, 0).toString('latin1').trim()));
  expect(seen).toEqual(new Set(['', '#1.2.3.4 1', '11.2.3.4 1']));
});

it('tears writes across sectors, and may extend a file with zeros', () => {
  const changes = new Changes();
  const file = new FileNode(changes);
  file.write(0, Buffer.alloc(1_024, 'x'));
  const seen = new Set(
    seeds.map((random) =>
      file.after('anything', random, 0).toString('latin1').replaceAll(/x+/g, 'x').replaceAll(/\0+/g, '0'),
    ),
  );
  expect(seen).toEqual(new Set(['', 'x', '0', '0x', 'x0']));
});

it('does not count writes during a sync as synced', () => {
  const changes = new Changes();
  const file = new FileNode(changes);
  file.write(0, Buffer.from('early'));
  const before = changes.last;
  file.write(5, Buffer.from('late'));
  file.synced(before);
  expect(file.after('all', seeds[0]!, 0).toString()).toBe('early');
});

it('loses an unsynced name together with its synced file', () => {
  const changes = new Changes();
  const folder = new FolderNode(changes);
  const file = new FileNode(changes);
  folder.set(['new', file]);
  file.write(0, Buffer.from('content'));
  file.synced(changes.last);
  expect([...folder.after('all', seeds[0]!, 0).keys()]).toEqual([]);
  folder.synced(changes.last);
  folder.set(['new', null], ['renamed', file]);
  expect(new Set(seeds.map((random) => [...folder.after('anything', random, 0).keys()].join()))).toEqual(
    new Set(['new', 'renamed']),
  );
});
