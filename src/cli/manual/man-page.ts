// The manual page, proxy-manager(1), made from the tree of verbs. `npm run generate:man` writes it.
import { everyVerb, type TreeOption, type TreeVerb } from '../tree.ts';
import type { Example } from '../verb.ts';

export function manPage(tree: TreeVerb, version: string): string {
  const verbs = [...everyVerb(tree)].filter(({ words, verbs }) => words.length > 0 && verbs.length === 0);
  return [
    '.\\" Made by: npm run generate:man',
    `.TH PROXY\\-MANAGER 1 "" ${quoted(`proxy-manager ${version}`)} "User Commands"`,
    '.SH NAME',
    `proxy\\-manager \\- ${text('run a HAProxy for many sites and keep its blocked addresses')}`,
    '.SH SYNOPSIS',
    '.B proxy\\-manager',
    '.I verb',
    '.RI [ options ]',
    '.RI [ operands ]',
    '.SH DESCRIPTION',
    ...paragraphs(description),
    '.SH VERBS',
    ...verbs.flatMap(verbSection),
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
    ...paragraphs(['Every setting of the service is a variable too: proxy-manager serve --help.']),
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

function verbSection(verb: TreeVerb): string[] {
  const operands = verb.operands.map(({ term }) => term);
  const own = verb.options.filter(({ names }) => !everywhere.has(names.at(-1)!));
  return [
    `.SS ${quoted(['proxy-manager', ...verb.words, ...operands].join(' '))}`,
    text(sentence(verb.says)),
    ...verb.operands.filter(({ says }) => says !== '').flatMap(({ term, says }) => term_(term, sentence(says))),
    ...own.flatMap(optionLines),
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
  const lines = examples.flatMap(({ line, says }) => [text(`# ${says}`), text(`proxy-manager ${line}`)]);
  return ['.PP', '.nf', '.RS 4', ...lines, '.RE', '.fi'];
}

function terms(pairs: readonly (readonly [term: string, says: string])[]): string[] {
  return pairs.flatMap(([term, says]) => term_(term, says));
}

function term_(term: string, says: string): string[] {
  return ['.TP', `.B ${quoted(term)}`, text(says)];
}

function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((paragraph) => ['.PP', text(paragraph)]);
}

function sentence(says: string): string {
  const [first = ''] = says;
  return `${first.toUpperCase()}${says.slice(1)}${/[.!?]$/.test(says) ? '' : '.'}`;
}

/** A line of text: nothing in it is a request or an escape. */
function text(line: string): string {
  const escaped = escape(line);
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

function quoted(argument: string): string {
  return `"${escape(argument).replaceAll('"', '\\(dq')}"`;
}

/** `-` alone would be set as a hyphen, which nobody can paste; so would the others. */
function escape(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
}
