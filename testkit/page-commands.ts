// What a newcomer pastes of a page in docs/.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The blocks of a section: commands, and after them what they print. */
export function blocksOf(page: string, section: string): readonly string[] {
  const [, text = ''] = readFileSync(join(import.meta.dirname, '../docs', page), 'utf8').split(`\n## ${section}\n`);
  return [...(text.split('\n## ')[0] ?? '').matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** Each command without its comment, a here-document with its lines. */
export function commandsOf(block: string): readonly string[] {
  return [...block.matchAll(/^.*<<'END'\n[\s\S]*?\nEND$|^(?:.*\\\n)*.+$/gm)].map(([command]) =>
    command.replace(/ +#.*$/, ''),
  );
}
