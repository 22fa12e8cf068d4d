import { expect, test } from 'vitest';
import { mended, readPreview } from './preview.ts';
import { requestOf } from './transfer.ts';

const look = (text: string) => readPreview(new Blob([text]), () => undefined, new AbortController().signal);

test('each bad line is named with its number and what would be right; the rest is taken once', async () => {
  const { entries, doubles, bad } = await look(
    '# a list\n192.0.2.1\n\n192.0.2.300\n2001:DB8::/32 ; a comment\n192.0.2.1/32\n10.0.0.1/8\n',
  );
  expect(entries.map(({ entry, line }) => [line, entry.ip])).toEqual([
    [6, '192.0.2.1'],
    [5, '2001:db8::/32'],
  ]);
  expect(doubles).toBe(1);
  expect(bad.map(({ line }) => line)).toEqual([4, 7]);
  expect(bad[1]?.why).toContain('did you mean 10.0.0.0/8?');
});

test('what a line says of itself goes before what is said of all', async () => {
  const { entries, format } = await look('ip_address,reason,expires_at\n192.0.2.1,port scan,7d\n192.0.2.2,,\n');
  expect(format).toBe('csv');
  const common = { reason: 'imported', seconds: 60, blockedBy: 'ops' };
  expect(requestOf(entries[0]!.entry, common)).toEqual({
    ip_address: '192.0.2.1',
    reason: 'port scan',
    blocked_by: 'ops',
    duration_seconds: 604_800,
  });
  expect(requestOf(entries[1]!.entry, common)).toMatchObject({ reason: 'imported', duration_seconds: 60 });
  expect(requestOf(entries[1]!.entry, { reason: '', seconds: null, blockedBy: null })).toEqual({
    ip_address: '192.0.2.2',
  });
});

test('what is no list is refused as that', async () => {
  await expect(look('\u001f\u008b'.normalize())).resolves.toBeDefined();
  const zipped = new Blob([new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0, 0])]);
  await expect(readPreview(zipped, () => undefined, new AbortController().signal)).rejects.toThrow('zip archive');
});

test('a list that is compressed by gzip is unpacked, and what is no text is refused at once', async () => {
  const packed = new Blob(['192.0.2.1\n']).stream().pipeThrough(new CompressionStream('gzip'));
  const read = (list: Blob) => readPreview(list, () => undefined, new AbortController().signal);
  const { entries } = await read(await new Response(packed).blob());
  expect(entries.map(({ entry }) => entry.ip)).toEqual(['192.0.2.1']);
  await expect(read(new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13])]))).rejects.toThrow(
    'not a text file',
  );
});

test('the networks that were meant can be taken in place of all lines with host bits', async () => {
  const preview = await look('10.0.0.1/8\n10.0.0.2/8\n192.0.2.300\n192.0.2.1\n');
  expect(preview.mendable.map(({ line }) => line)).toEqual([1, 2]);
  const { entries, bad, mendable } = mended(preview);
  expect(entries.map(({ entry }) => entry.ip).sort()).toEqual(['10.0.0.0/8', '192.0.2.1']);
  expect(bad.map(({ line }) => line)).toEqual([3]);
  expect(mendable).toEqual([]);
  // A line of CSV or of a netset says more than its address.
  expect((await look('add s 10.0.0.1/24 timeout 600\nadd s 192.0.2.1\n')).mendable).toEqual([]);
  expect((await look('ip_address,reason\n10.0.0.1/8,scan\n')).mendable).toEqual([]);
});
