import { appendFile, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import type { Fault } from '../fault.ts';

const lines = (count: number, from: number): string =>
  Array.from({ length: count }, (_, n) => `127.54.0.${from + n} 1\n`).join('');

export const foreignMapFileEdit: Fault = {
  name: 'foreign-map-file-edit',
  // A reload before the repair loads the edit.
  excuses: { enforcement: true },
  async strike({ service }, random) {
    const path = service.paths.blockedMap;
    const heal = async (): Promise<void> => undefined;
    const text = await readFile(path, 'latin1');
    const from = random.integer(1, 200);
    const how = random.pick(['append', 'half a line', 'truncate', 'empty', 'rename', 'rewrite', 'swap'] as const);
    if (how === 'append') await appendFile(path, lines(random.integer(1, 5), from));
    if (how === 'half a line') await appendFile(path, random.pick(['127.5', '127.54.0.77', '127.54.0.77 1', '#', ' ']));
    if (how === 'truncate') await truncate(path, random.integer(0, text.length));
    if (how === 'empty') await truncate(path, 0);
    if (how === 'rename') {
      await writeFile(`${path}.foreign`, `${text}${lines(2, from)}`, 'latin1');
      await rename(`${path}.foreign`, path);
    }
    if (how === 'rewrite') await writeFile(path, lines(3, from));
    // Same length and number of lines, as after `sed -i`, but the same inode.
    if (how === 'swap') await writeFile(path, text.replace(/^127\.50\./gm, '127.54.'), 'latin1');
    return { detail: `${how} ${path}, ${text.length} bytes before`, heal };
  },
};
