import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LiveOrigin } from './live-origin.ts';

let folder: string;
let origin: LiveOrigin;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-origin-'));
  origin = new LiveOrigin(join(folder, 'live-configuration'));
});
afterEach(() => rm(folder, { recursive: true }));

const kinds = async (...texts: string[]) => await Promise.all(texts.map(async (text) => (await origin.of(text)).live));

test('an unrecorded text counts as foreign', async () => {
  expect(await origin.of('a')).toEqual({ live: 'other', backup: null });
});

test('before and after a switch both texts are known, since a crash may leave either', async () => {
  await origin.confirmed('a', null);
  await origin.beforeSwitch('b', 'a', null);
  expect(await kinds('a', 'b', 'c')).toEqual(['rendered', 'rendered', 'other']);
  await origin.confirmed('b', null);
  expect(await kinds('a', 'b')).toEqual(['other', 'rendered']);
});

test('replacing a foreign text does not make it rendered', async () => {
  await origin.confirmed('a', null);
  await origin.beforeSwitch('b', 'edited', null);
  expect(await kinds('edited', 'b')).toEqual(['other', 'rendered']);
});

test('a restored text is recorded with its backup, even if it was rendered once', async () => {
  await origin.confirmed('a', null);
  await origin.beforeSwitch('a', 'a', 'b1');
  expect(await origin.of('a')).toEqual({ live: 'restored', backup: 'b1' });
  await origin.confirmed('a', 'b1');
  expect(await origin.of('a')).toEqual({ live: 'restored', backup: 'b1' });
  await origin.beforeSwitch('n', 'a', null);
  expect(await kinds('a', 'n')).toEqual(['restored', 'rendered']);
  await origin.confirmed('n', null);
  expect(await kinds('a', 'n')).toEqual(['other', 'rendered']);
});

test.each(['', '{', 'null', '[]', '{"rendered":[1],"restored":null}', '{"rendered":[],"restored":{"sha256":"x"}}'])(
  'with the damaged record %j every text counts as foreign',
  async (text) => {
    await origin.confirmed('a', null);
    await writeFile(origin.path, text);
    expect(await kinds('a')).toEqual(['other']);
    await origin.confirmed('a', null);
    expect(await kinds('a')).toEqual(['rendered']);
  },
);
