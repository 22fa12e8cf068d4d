import { expect, test } from 'vitest';
import { readPreview, withCorrections } from './preview.ts';
import { requestOf } from './transfer.ts';

const preview = (text: string) => readPreview(new Blob([text]), () => undefined, new AbortController().signal);

test('lists each bad line with its number and a correction, and each address once', async () => {
  const { entries, duplicates, bad } = await preview(
    '# a list\n192.0.2.1\n\n192.0.2.300\n2001:DB8::/32 ; a comment\n192.0.2.1/32\n10.0.0.1/8\n',
  );
  expect(entries.map(({ entry, line }) => [line, entry.ip])).toEqual([
    [6, '192.0.2.1'],
    [5, '2001:db8::/32'],
  ]);
  expect(duplicates).toBe(1);
  expect(bad.map(({ line }) => line)).toEqual([4, 7]);
  expect(bad[1]?.why).toContain('did you mean 10.0.0.0/8?');
});

test('prefers a line’s own reason and expiry to the defaults', async () => {
  const { entries, format } = await preview('ip_address,reason,expires_at\n192.0.2.1,port scan,7d\n192.0.2.2,,\n');
  expect(format).toBe('csv');
  const common = { reason: 'imported', seconds: 60 };
  expect(requestOf(entries[0]!.entry, common)).toEqual({
    ip_address: '192.0.2.1',
    reason: 'port scan',
    duration_seconds: 604_800,
  });
  expect(requestOf(entries[1]!.entry, common)).toMatchObject({ reason: 'imported', duration_seconds: 60 });
  expect(requestOf(entries[1]!.entry, { reason: '', seconds: null })).toEqual({
    ip_address: '192.0.2.2',
  });
});

test('rejects a zip archive', async () => {
  await expect(preview('\u001f\u008b'.normalize())).resolves.toBeDefined();
  const zipped = new Blob([new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0, 0])]);
  await expect(readPreview(zipped, () => undefined, new AbortController().signal)).rejects.toThrow('zip archive');
});

test('reads gzip, and rejects binary files', async () => {
  const packed = new Blob(['192.0.2.1\n']).stream().pipeThrough(new CompressionStream('gzip'));
  const read = (list: Blob) => readPreview(list, () => undefined, new AbortController().signal);
  const { entries } = await read(await new Response(packed).blob());
  expect(entries.map(({ entry }) => entry.ip)).toEqual(['192.0.2.1']);
  await expect(read(new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13])]))).rejects.toThrow(
    'not a text file',
  );
});

test('replaces lines with host bits by their networks', async () => {
  const list = await preview('10.0.0.1/8\n10.0.0.2/8\n192.0.2.300\n192.0.2.1\n');
  expect(list.correctable.map(({ line }) => line)).toEqual([1, 2]);
  const { entries, bad, correctable } = withCorrections(list);
  expect(entries.map(({ entry }) => entry.ip).sort()).toEqual(['10.0.0.0/8', '192.0.2.1']);
  expect(bad.map(({ line }) => line)).toEqual([3]);
  expect(correctable).toEqual([]);
  // A line of CSV or of a netset has more than an address.
  expect((await preview('add s 10.0.0.1/24 timeout 600\nadd s 192.0.2.1\n')).correctable).toEqual([]);
  expect((await preview('ip_address,reason\n10.0.0.1/8,scan\n')).correctable).toEqual([]);
});
