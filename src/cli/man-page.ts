// The manual page, proxy-manager(1), made from the tree of verbs. `npm run generate:man` writes it.
import { PassThrough } from 'node:stream';
import { version } from '../version.ts';
import { CommandLine } from './command-line.ts';
import { buildProgram } from './program.ts';
import { everyVerb, type TreeOption, type TreeVerb, treeOf } from './tree.ts';
import type { Example, Verb } from './verb.ts';

/** Of the words below; the rest is of the version. */
const written = '2026-11-21';

/** The manual page as the tree of verbs makes it now. */
export async function currentManPage(): Promise<string> {
  return manPage(treeOf(await completeProgram()));
}

/** With every verb, connected to no terminal. */
export async function completeProgram(): Promise<Verb> {
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

function manPage(tree: TreeVerb): string {
  const verbs = [...everyVerb(tree)].filter(({ words, verbs }) => words.length > 0 && verbs.length === 0);
  const serve = verbs.find(({ words }) => words.join(' ') === 'serve');
  return [
    '.\\" Made by: npm run generate:man',
    `.TH PROXY\\-MANAGER 1 ${written} ${quoted(`proxy-manager ${version}`)} "User Commands"`,
    '.SH NAME',
    'proxy\\-manager \\- run a HAProxy for many sites and keep its blocked addresses',
    '.SH SYNOPSIS',
    '.B proxy\\-manager',
    '.I verb',
    '.RI [ options ]',
    '.RI [ operands ]',
    '.SH DESCRIPTION',
    ...paragraphs(description),
    '.SH VERBS',
    ...verbs.flatMap((verb) => verbSection(verb, serve)),
    '.SH OPTIONS OF EVERY VERB THAT ASKS THE SERVICE',
    ...tree.options.flatMap(optionLines),
    '.SH EXIT STATUS',
    ...terms([
      ['0', 'Done.'],
      ['1', 'Failed; a sentence on standard error says why.'],
      ['2', 'What was typed cannot be meant.'],
      [
        '3',
        'Partly: some lines were rejected, or the running proxy was not seen to have all of it. Of status: degraded.',
      ],
      ['130', 'Ended by Ctrl-C; what was done and what was not is told.'],
    ]),
    '.SH ENVIRONMENT',
    ...terms([
      [
        'PROXY_MANAGER_URL',
        'Where the service is, unless --url says: http://HOST:PORT or unix:/path. Default: http://127.0.0.1:7080.',
      ],
      ['PROXY_MANAGER_API_KEY', 'The API key. There is no flag for it: everybody could read it in the process list.'],
      ['PROXY_MANAGER_API_KEY_FILE', 'The file that holds it.'],
      ['NO_COLOR', 'Set and not empty: no colours.'],
    ]),
    '.PP',
    ...text('Every setting of the service is a variable too: see serve.'),
    '.SH FILES',
    ...terms([
      [
        '~/.config/proxy-manager/api-key',
        'The API key of who types, where no variable names one. Refused when others may read it.',
      ],
      ['/var/lib/proxy-manager/api-key', "The key that the service's first start wrote."],
    ]),
    '.SH SEE ALSO',
    '.BR haproxy (1)',
    '',
  ].join('\n');
}

const description = [
  'Blocks addresses and networks at a HAProxy, and says the truth about it: a block counts as done when the database and the map file hold it and every live worker of the proxy was seen to hold it.',
  'serve runs the service; every other verb asks it over its API. On a terminal results are tables and sentences; in a pipe one line each, with tabs between fields; with -o json the answer of the API as it is. Errors and progress go to standard error.',
  'Lists are read from files and from standard input (-): plain ones with # and ; comments, CSV with reason and expiry, map files of HAProxy, sets of ipset and FireHOL. Bad lines are told with their number, and the good ones are done.',
];

/** @param serve the verb that the settings are told of */
function verbSection(verb: TreeVerb, serve: TreeVerb | undefined): string[] {
  const operands = verb.operands.map(({ term }) => term);
  const settings = new Set(serve === verb ? [] : serve?.options.map(({ flags }) => flags));
  const takesSettings = verb.options.some(({ flags }) => settings.has(flags) && !flags.includes('--help'));
  const own = verb.options.filter(({ names, flags }) => !everywhere.has(names.at(-1)!) && !settings.has(flags));
  return [
    `.SS ${quoted(['proxy-manager', ...verb.words, ...operands].join(' '))}`,
    ...text(sentence(verb.says)),
    ...verb.operands.filter(({ says }) => says !== '').flatMap(({ term, says }) => term_(term, sentence(says))),
    ...own.flatMap(optionLines),
    ...(takesSettings ? ['.PP', 'It takes the options of serve.'] : []),
    ...exampleLines(verb.examples),
  ];
}

/** Told once for all. */
const everywhere = new Set(['--url', '--output', '--help']);

function optionLines({ flags, says, choices }: TreeOption): string[] {
  const choice = choices.length === 0 || choices.every((word) => says.includes(word)) ? '' : ` (${choices.join(', ')})`;
  return term_(flags, sentence(`${says}${choice}`));
}

function exampleLines(examples: readonly Example[]): string[] {
  if (examples.length === 0) return [];
  const lines = examples.flatMap(({ line, says }) => [literal(`# ${says}`), literal(`proxy-manager ${line}`)]);
  return ['.PP', '.nf', '.RS 4', ...lines, '.RE', '.fi'];
}

function terms(pairs: readonly (readonly [term: string, says: string])[]): string[] {
  return pairs.flatMap(([term, says]) => term_(term, says));
}

function term_(term: string, says: string): string[] {
  return ['.TP', `.B ${quoted(term)}`, ...text(says)];
}

function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((paragraph, index) => (index === 0 ? text(paragraph) : ['.PP', ...text(paragraph)]));
}

function sentence(says: string): string {
  const [first = ''] = says;
  return `${first.toUpperCase()}${says.slice(1)}${/[.!?]$/.test(says) ? '' : '.'}`;
}

/** Text that is set; a source line has at most 79 characters. */
function text(words: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && escaped(longer).length > longestLine) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map(literal);
}

const longestLine = 76;

/** A line as it is: nothing in it is a request or an escape. */
function literal(line: string): string {
  return /^[.']/.test(line) ? `\\&${escaped(line)}` : escaped(line);
}

function quoted(argument: string): string {
  return `"${escaped(argument).replaceAll('"', '\\(dq')}"`;
}

/** `-` alone would be set as a hyphen, which nobody can paste; so would the others. */
function escaped(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
}
