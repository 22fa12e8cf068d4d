import { describe, expect, it } from 'vitest';
import { onlyWorker, parseShowProc } from './show-proc.ts';

const header = '#<PID>          <type>          <reloads>       <uptime>        <version>      ';
const master = '5391            master          3 [failed: 1]   0d00h08m57s     3.0.11-1+deb13u3';
const worker = '14790           worker          1               0d00h01m18s     3.0.11-1+deb13u3';
const old = '14001           worker          2               0d00h03m18s     2.6.12-1+deb12u4';
const text = (...lines: string[]): string => lines.join('\n');

describe('show proc', () => {
  it('show proc is read by its header and sections', () => {
    const body = text(header, master, '# workers', worker, '# old workers', old, '# programs', '1 prog 0 0d00h - -');
    expect(parseShowProc(body)).toEqual({
      master: { pid: 5391, reloads: 3, failed: 1, version: '3.0.11-1+deb13u3', uptimeSeconds: 537 },
      workers: [{ pid: 14790, reloads: 1, version: '3.0.11-1+deb13u3' }],
      oldWorkers: [{ pid: 14001, reloads: 2, version: '2.6.12-1+deb12u4' }],
    });
  });

  it('show proc is read with the columns of an older version', () => {
    const body = text(
      '#<PID>          <type>          <relative PID>  <reloads>       <uptime>        <version>      ',
      '1162            master          0               5               0d00h02m07s     2.1-dev',
      '# workers',
      '1271            worker          1               0               0d00h00m00s     2.1-dev',
      '1272            worker          2               0               0d00h00m00s     2.1-dev',
      '# old workers',
      '1233            worker          [was: 1]        3               0d00h00m43s     2.0-dev3',
    ).replace('[was: 1]        ', '1               ');
    const rows = parseShowProc(body);
    expect(rows?.master).toEqual({ pid: 1162, reloads: 5, failed: null, version: '2.1-dev', uptimeSeconds: 127 });
    expect(rows?.workers.map((row) => row.pid)).toEqual([1271, 1272]);
    expect(rows?.oldWorkers).toEqual([{ pid: 1233, reloads: 3, version: '2.0-dev3' }]);
  });

  it('show proc may list no worker', () => {
    expect(parseShowProc(text(header, master, '# workers', '# programs'))?.workers).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['another text', 'Unknown command'],
    ['a header alone', header],
    ['a reply without its workers', text(header, master)],
    ['a reply without its master', text(header, '# workers', worker)],
    ['a worker in no section', text(header, worker, '# workers')],
    ['a master among the workers', text(header, master, '# workers', master)],
    ['a worker in a section that we do not know', text(header, master, '# workers', '# zombies', worker)],
    ['a row without a pid', text(header, master, '# workers', 'x worker 0 0d 1')],
    ['a row with too many cells', text(header, master, '# workers', `${worker} more`)],
    ['a row cut off', text(header, master, '# workers', '14790')],
  ])('refuses as show proc %s', (_, body) => expect(parseShowProc(body)).toBeNull());

  it.each([
    ['one', [worker], 14790],
    ['none', [], null],
    ['two', [worker, old], null],
  ])('names the only worker where %s is listed', (_, workers, only) => {
    expect(onlyWorker(text(header, master, '# workers', ...workers, '# old workers', old, '# programs', ''))).toBe(
      only,
    );
  });

  it('names no worker in a text that is none, or is cut off', () => {
    expect(onlyWorker(`# workers\n${worker}\n# old workers`)).toBeNull();
    expect(onlyWorker(text(header, master, '# workers', worker))).toBeNull();
  });
});
