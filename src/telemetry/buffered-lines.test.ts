import { readFileSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BufferedLines } from './buffered-lines.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-lines-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const text = (name: string): string => readFileSync(at(name), 'utf8');

describe('buffered lines', () => {
  it('lines are in the file, in order, when the flush returns, and not before', () => {
    const lines = new BufferedLines({ dest: at('flushed') });
    lines.write('one\n');
    lines.write('two\n');
    expect(text('flushed')).toBe('');
    lines.flush();
    expect(text('flushed')).toBe('one\ntwo\n');
    lines.flush();
    expect(text('flushed')).toBe('one\ntwo\n');
  });

  it('lines are written without a flush once they exceed 64 KiB', () => {
    const lines = new BufferedLines({ dest: at('many') });
    lines.write(`${'x'.repeat(65_535)}\n`);
    expect(text('many')).toHaveLength(0);
    lines.write('\n');
    expect(text('many')).toHaveLength(65_537);
  });

  it('lines buffered before a reopen go to the former file', () => {
    const lines = new BufferedLines({ dest: at('rotated') });
    lines.write('before\n');
    renameSync(at('rotated'), at('rotated.1'));
    lines.reopen();
    lines.write('after\n');
    lines.flush();
    expect([text('rotated.1'), text('rotated')]).toEqual(['before\n', 'after\n']);
  });

  it('a full disk loses lines and throws nothing', () => {
    const lines = new BufferedLines({ dest: '/dev/full' });
    for (const line of ['one\n', 'two\n']) {
      lines.write(line);
      expect(() => lines.flush()).not.toThrow();
    }
    expect(() => lines.reopen()).not.toThrow();
  });
});
