import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { causeText, ManagerLog, textLine } from './log.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-log-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

describe('the manager log', () => {
  it('the log has the same content as JSON on standard output and as text in the file', async () => {
    const log = new ManagerLog(at('a/b/manager.log'), at('a.json'));
    log.warn('Runtime map updated', { ip_address: '192.0.2.1', count: 2, absent: undefined });
    expect(JSON.parse(await readFile(at('a.json'), 'utf8'))).toMatchObject({
      msg: 'Runtime map updated',
      ip_address: '192.0.2.1',
      count: 2,
      level: 40,
    });
    expect(await readFile(at('a/b/manager.log'), 'utf8')).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z WARN Runtime map updated ip_address=192\.0\.2\.1 count=2\n$/,
    );
    expect((await stat(at('a/b/manager.log'))).mode & 0o007).toBe(0);
  });

  it('the log continues in a new file after a rotation', async () => {
    const log = new ManagerLog(at('rotated.log'), at('rotated.json'));
    log.info('before');
    // Without a pause: lines logged before the rotation belong to the former file.
    renameSync(at('rotated.log'), at('rotated.log.1'));
    log.reopen();
    log.info('after');
    expect(await readFile(at('rotated.log.1'), 'utf8')).toContain('before');
    expect(await readFile(at('rotated.log'), 'utf8')).toMatch(/^\S+ INFO after\n$/);
  });

  it('lines of one event-loop turn are written together, and a warning at once with the lines before it', async () => {
    const log = new ManagerLog(at('turn.log'), at('turn.json'));
    const writtenWords = () =>
      ['turn.log', 'turn.json'].map((name) => readFileSync(at(name), 'utf8').match(/one|two|three|four/g));
    log.info('one');
    log.info('two');
    expect(writtenWords()).toEqual([null, null]);
    await null;
    expect(writtenWords()).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);
    log.info('three');
    log.warn('four');
    expect(writtenWords()).toEqual([
      ['one', 'two', 'three', 'four'],
      ['one', 'two', 'three', 'four'],
    ]);
  });

  it.each([
    ['ends', 'process.exit(0)'],
    ['fails', 'throw new Error("uncaught")'],
  ])('has everything in the file when its process %s at once', (what, end) => {
    const source = `import { ManagerLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))};
      new ManagerLog(${JSON.stringify(at(`${what}.log`))}, ${JSON.stringify(at(`${what}.json`))}).info('last words');
      ${end}`;
    spawnSync(process.execPath, ['--input-type=module', '--eval', source]);
    expect(readFileSync(at(`${what}.log`), 'utf8')).toContain('last words');
    expect(readFileSync(at(`${what}.json`), 'utf8')).toContain('last words');
  });

  it('the log buffers a limited amount', () => {
    const log = new ManagerLog(at('much.log'), at('much.json'));
    for (let line = 0; line < 1_000; line += 1) log.info('x'.repeat(100));
    expect(readFileSync(at('much.log'), 'utf8').length).toBeGreaterThan(50_000);
  });

  it('a full disk loses a log line and fails no operation', async () => {
    const fullFile = new ManagerLog('/dev/full', at('kept.json'));
    expect(() => fullFile.info('one')).not.toThrow();
    // The write fails, not the call to log: it is made at the end of the turn, or at once.
    expect(() => fullFile.flush()).not.toThrow();
    expect(() => fullFile.warn('two')).not.toThrow();
    expect(await readFile(at('kept.json'), 'utf8')).toMatch(/one[\s\S]*two/);
    const fullOutput = new ManagerLog(at('kept.log'), '/dev/full');
    expect(() => fullOutput.info('three')).not.toThrow();
    expect(() => fullOutput.flush()).not.toThrow();
    expect(await readFile(at('kept.log'), 'utf8')).toContain('three');
  });

  it.each([
    ['a newline', 'a\nb'],
    ['a carriage return', 'a\rb'],
    ['an escape', 'a\u001b[2Jb'],
    ['a C1 control', 'a\u0085b'],
    ['a DEL', 'a\u007fb'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
  ])('is one plain line whatever it contains: %s', (_what, text) => {
    const line = textLine(new Date(0), 'info', `message ${text}`, { field: text, nested: { list: [text] } });
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    expect(line.endsWith('\n')).toBe(true);
  });

  it('a failure is logged with its causes and without its stack', () => {
    const error = new Error('outer', { cause: new Error('inner') });
    expect(causeText(error)).toBe('outer: caused by: inner');
    expect(causeText('a text')).toBe('a text');
    const writtenWords = new Error('refused: line 3: no', {
      cause: new Error('line 3: no', { cause: new Error('deep') }),
    });
    expect(causeText(writtenWords)).toBe('refused: line 3: no: caused by: deep');
  });
});
