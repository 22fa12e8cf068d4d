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

describe('gathered lines', () => {
  it('are in the file, in order, when the flush returns, and not before', () => {
    const lines = new BufferedLines({ dest: at('flushed') });
    lines.write('one\n');
    lines.write('two\n');
    expect(text('flushed')).toBe('');
    lines.flush();
    expect(text('flushed')).toBe('one\ntwo\n');
    lines.flush();
    expect(text('flushed')).toBe('one\ntwo\n');
  });

  it('are written when there are more than 64 KiB of them', () => {
    const lines = new BufferedLines({ dest: at('many') });
    lines.write(`${'x'.repeat(65_535)}\n`);
    expect(text('many')).toHaveLength(0);
    lines.write('\n');
    expect(text('many')).toHaveLength(65_537);
  });

  it('belong to the former file when the path is opened anew', () => {
    const lines = new BufferedLines({ dest: at('rotated') });
    lines.write('before\n');
    renameSync(at('rotated'), at('rotated.1'));
    lines.reopen();
    lines.write('after\n');
    lines.flush();
    expect([text('rotated.1'), text('rotated')]).toEqual(['before\n', 'after\n']);
  });

  it('are lost on a disk that is full, and throw nothing', () => {
    const lines = new BufferedLines({ dest: '/dev/full' });
    for (const line of ['one\n', 'two\n']) {
      lines.write(line);
      expect(() => lines.flush()).not.toThrow();
    }
    expect(() => lines.reopen()).not.toThrow();
  });
});
