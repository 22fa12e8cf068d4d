import { PassThrough } from 'node:stream';
import { version } from '../../version.ts';
import { CommandLine } from '../command-line.ts';
import { buildProgram } from '../program.ts';
import { treeOf } from '../tree.ts';
import type { Verb } from '../verb.ts';
import { manPage } from './man-page.ts';

/** The manual page as the tree of verbs makes it now. */
export async function currentManPage(): Promise<string> {
  return manPage(treeOf(await wholeProgram()), version);
}

/** With every verb, and nobody to talk to. */
export async function wholeProgram(): Promise<Verb> {
  const cli = new CommandLine({
    environment: {},
    homeFolder: null,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    now: () => new Date(),
    end: () => undefined,
  });
  return await buildProgram(cli, null);
}
