import { PassThrough } from 'node:stream';
import { version } from '../version.ts';
import { CommandLine } from './command-line.ts';
import { buildProgram } from './program.ts';
import { everyVerb, type TreeOption, type TreeVerb, treeOf } from './tree.ts';
import type { Example, Verb } from './verb.ts';

/** Date of the texts below. */
const written = '2026-11-23';

export async function currentManPage(): Promise<string> {
  return manPage(treeOf(await completeProgram()));
}

/** Connected to no terminal. */
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
    'proxy\\-manager \\- run HAProxy for many sites and maintain its list of blocked addresses',
    '.SH SYNOPSIS',
    '.B proxy\\-manager',
    '.I verb',
    '.RI [ options ]',
    '.RI [ operands ]',
    '.SH DESCRIPTION',
    ...paragraphs(description),
    '.SH VERBS',
    ...verbs.flatMap((verb) => verbSection(verb, serve)),
    '.SH OPTIONS OF EVERY VERB THAT CALLS THE SERVICE',
    ...tree.options.flatMap(optionLines),
    '.SH EXIT STATUS',
    ...terms([
      ['0', 'Done.'],
      ['1', 'Failed; standard error has the reason.'],
      ['2', 'Usage error; no request was sent to the service.'],
      [
        '3',
        'Partly: lines were rejected, or a running HAProxy was not verified. For import --dry-run: the parts together would exceed the maximum number of entries (an address in two parts counts twice). For status: degraded. For check: not every worker matches the database.',
      ],
      ['130', 'Interrupted by Ctrl-C; standard error says what was done and what was not.'],
    ]),
    '.SH ENVIRONMENT',
    ...terms([
      [
        'PROXY_MANAGER_URL',
        'Address of the service, if --url is not given: http://HOST:PORT or unix:/path. Default: http://127.0.0.1:7080.',
      ],
      [
        'PROXY_MANAGER_API_KEY',
        'The API key. There is no flag for it, because the process list would show it to every local user.',
      ],
      ['PROXY_MANAGER_API_KEY_FILE', 'File with the API key.'],
      ['NO_COLOR', 'If not empty, no colours.'],
    ]),
    '.PP',
    ...text('Each setting of the service is also an environment variable: see serve.'),
    '.SH FILES',
    ...terms([
      [
        '~/.config/proxy-manager/api-key',
        'The API key of the user, if no variable names one. Refused if other users can read it.',
      ],
      ['/var/lib/proxy-manager/api-key', 'The admin key, written by the first start of the service.'],
    ]),
    '.SH SEE ALSO',
    '.BR haproxy (1)',
    '',
  ].join('\n');
}

const description = [
  'Blocks addresses and networks at HAProxy. A block is acknowledged when it is durable in the database and the map file, and the response says whether it was verified in every live worker.',
  'serve runs the service; most other verbs call its API. On a terminal, results are tables and sentences; in a pipe, one line each with tabs between fields; with -o json, the response of the API unchanged. Errors and progress go to standard error.',
  'Lists are read from files and from standard input (-): plain lists with # and ; comments, CSV with reason and expiry, HAProxy map files, sets of ipset and FireHOL. Invalid lines are reported with their number, valid ones are applied.',
];

/** @param serve documents the settings */
function verbSection(verb: TreeVerb, serve: TreeVerb | undefined): string[] {
  const operands = verb.operands.map(({ term }) => term);
  const settings = new Set(serve === verb ? [] : serve?.options.map(({ flags }) => flags));
  const takesSettings = verb.options.some(({ flags }) => settings.has(flags) && !flags.includes('--help'));
  const own = verb.options.filter(({ names, flags }) => !everywhere.has(names.at(-1)!) && !settings.has(flags));
  return [
    `.SS ${quoted(['proxy-manager', ...verb.words, ...operands].join(' '))}`,
    ...text(sentence(verb.description)),
    ...verb.operands.filter(({ help }) => help !== '').flatMap(({ term, help }) => term_(term, sentence(help))),
    ...own.flatMap(optionLines),
    ...(takesSettings ? ['.PP', 'Also accepts the options of serve.'] : []),
    ...exampleLines(verb.examples),
  ];
}

/** Documented once for all verbs. */
const everywhere = new Set(['--url', '--output', '--help']);

function optionLines({ flags, help, choices }: TreeOption): string[] {
  const choice = choices.length === 0 || choices.every((word) => help.includes(word)) ? '' : ` (${choices.join(', ')})`;
  return term_(flags, sentence(`${help}${choice}`));
}

function exampleLines(examples: readonly Example[]): string[] {
  if (examples.length === 0) return [];
  const lines = examples.flatMap(({ line, explanation }) => [
    literal(`# ${explanation}`),
    literal(`proxy-manager ${line}`),
  ]);
  return ['.PP', '.nf', '.RS 4', ...lines, '.RE', '.fi'];
}

function terms(pairs: readonly (readonly [term: string, meaning: string])[]): string[] {
  return pairs.flatMap(([term, meaning]) => term_(term, meaning));
}

function term_(term: string, meaning: string): string[] {
  return ['.TP', `.B ${quoted(term)}`, ...text(meaning)];
}

function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((paragraph, index) => (index === 0 ? text(paragraph) : ['.PP', ...text(paragraph)]));
}

function sentence(phrase: string): string {
  const [first = ''] = phrase;
  return `${first.toUpperCase()}${phrase.slice(1)}${/[.!?]$/.test(phrase) ? '' : '.'}`;
}

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

/** Escapes what would be read as a request. */
function literal(line: string): string {
  return /^[.']/.test(line) ? `\\&${escaped(line)}` : escaped(line);
}

function quoted(argument: string): string {
  return `"${escaped(argument).replaceAll('"', '\\(dq')}"`;
}

/** Unescaped, `-` and others are typeset as characters that cannot be pasted into a shell. */
function escaped(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
}
