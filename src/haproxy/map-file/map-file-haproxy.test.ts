// HAProxy's own `-c` is the reader while the file changes. Plain appends fail this in most runs.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { HEADER, inOrder, ipv4, liveKeys, rewriteTo, temporaryMapPath } from '../../../testkit/haproxy/map-files.ts';
import { describeOnProductProxies, longTests } from '../../../testkit/proxies.ts';
import { MapFile } from './map-file.ts';

const runFile = promisify(execFile);
const CHECKS = longTests ? 12 : 6;
const CHANGES = longTests ? 400 : 200;

async function configurationWith(map: string): Promise<string> {
  const path = join(dirname(map), 'proxy.cfg');
  await writeFile(
    path,
    `defaults
  mode http
  timeout client 5s
  timeout connect 5s
  timeout server 5s
frontend web
  bind 127.0.0.1:8080
  http-request deny if { src,map_ip(${map},0) -m int gt 0 }
`,
  );
  return path;
}

describeOnProductProxies('the check of a configuration', ({ bin: binary }) => {
  test('HAProxy finds the map file valid at every moment of hundreds of changes and rewrites', async () => {
    const map = await temporaryMapPath();
    const configuration = await configurationWith(map);
    const file = new MapFile({ path: map, slots: 64 });
    const model = new Set(Array.from({ length: 3000 }, (_, n) => ipv4(n * 7)));
    for (let n = 1; n < 500; n += 1) model.add(`2001:db8:${n.toString(16)}::/48`);
    await rewriteTo(file, model);

    const failures: string[] = [];
    let checks = 0;
    let changes = 0;
    let over = false;
    const checking = (async () => {
      while (!over) {
        await runFile(binary, ['-c', '-f', configuration]).catch((error: unknown) => {
          const { stderr, message } = error as { stderr?: string; message: string };
          failures.push(stderr || message);
        });
        checks += 1;
      }
    })();
    while (failures.length === 0 && (checks < CHECKS || changes < CHANGES)) {
      const from = changes * 3;
      const added = Array.from({ length: 1 + (changes % 5) }, (_, n) => ipv4(100_000 + ((from + n) % 5000)));
      await file.add(added);
      for (const ip of added) model.add(ip);
      const gone = inOrder([...model].filter((_, index) => (index * 31 + changes) % 997 === 0));
      expect((await file.remove(gone)).removed).toEqual(gone);
      for (const ip of gone) model.delete(ip);
      changes += 2;
      if (changes % 100 === 0) {
        const rewrite = await file.beginRewrite(HEADER);
        const snapshot = inOrder(model);
        const late = ipv4(200_000 + changes);
        await file.add([late]);
        model.add(late);
        await rewrite.append(snapshot);
        await rewrite.finish();
      }
    }
    over = true;
    await checking;
    expect(failures).toEqual([]);
    expect(await liveKeys(map)).toEqual(model);
    await file.close();
  });

  test('HAProxy refuses a damaged map file (the check can fail)', async () => {
    const map = await temporaryMapPath();
    await writeFile(map, '.2.3.4 1\n');
    await expect(runFile(binary, ['-c', '-f', await configurationWith(map)])).rejects.toThrow();
  });
});
