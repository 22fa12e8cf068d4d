/** One line, split into words like HAProxy does. */
export interface ConfigLine {
  readonly number: number;
  readonly words: readonly string[];
  /** How many of the first words are literal; environment variables may change those behind. */
  readonly certainWords: number;
  /** The keyword of the section that contains the line, or begins with it (`frontend`, `global` …). */
  readonly section: string;
  readonly sectionName: string;
  /** Between `.if` and `.endif`: only HAProxy knows whether the line is active, so nothing may rely on it. */
  readonly conditional: boolean;
}

const sectionKeywords = new Set([
  'global',
  'defaults',
  'frontend',
  'backend',
  'listen',
  'peers',
  'mailers',
  'namespace_list',
  'resolvers',
  'userlist',
  'program',
  'cache',
  'ring',
  'http-errors',
  'healthcheck',
  'log-forward',
  'log-profile',
  'fcgi-app',
  'acme',
  'crt-store',
  'traces',
]);

/**
 * The lines without comments and blank lines. Not a full parser: environment variables stay as written, see
 * `certainWords`.
 */
export function* configLines(text: string): Generator<ConfigLine> {
  let section = '';
  let sectionName = '';
  let depth = 0;
  let number = 0;
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? text.length : end);
    start = end < 0 ? text.length + 1 : end + 1;
    number += 1;
    const cut = cutWords(line);
    // HAProxy reads an empty word as the end of the line.
    const empty = cut.words.indexOf('');
    const words = empty < 0 ? cut.words : cut.words.slice(0, empty);
    const first = words[0];
    if (first === undefined) continue;
    if (first === '.if') depth += 1;
    else if (first === '.endif') depth = Math.max(0, depth - 1);
    if (sectionKeywords.has(first)) {
      section = first;
      sectionName = words[1] ?? '';
    }
    const certainWords = Math.min(cut.certain, words.length);
    yield { number, words, certainWords, section, sectionName, conditional: depth > 0 };
  }
}

/** Splits like HAProxy's own `parse_line`: quotes, escapes, and `#` as a comment anywhere. */
export function splitWords(line: string): string[] {
  return cutWords(line).words;
}

interface CutLine {
  readonly words: string[];
  /** How many of the words no environment variable can change. */
  readonly certain: number;
}

function cutWords(text: string): CutLine {
  // Fast path for most lines; a configuration of thousands of sites is read at every reload.
  if (/["'\\#\r]/.test(text)) return cutQuotedWords(untilReturn(text));
  const words = text.split(/[ \t\v\f]+/).filter((word) => word !== '');
  return { words, certain: words.length };
}

/** A carriage return ends the line, except among the blanks at its start. */
function untilReturn(text: string): string {
  return text.replace(/^[ \t\v\f\r]+/, '').replace(/\r.*$/s, '');
}

function cutQuotedWords(line: string): CutLine {
  const words: string[] = [];
  let certain = Number.POSITIVE_INFINITY;
  let word = '';
  let inWord = false;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    if (quote === "'") {
      if (c === "'") quote = '';
      else word += c;
    } else if (c === '\\') {
      const escaped = readEscape(line.slice(i + 1, i + 4), quote === '"');
      word += escaped.text;
      i += escaped.length;
      inWord = true;
    } else if (quote === '"') {
      // HAProxy expands the environment only inside double quotes.
      if (c === '$') certain = Math.min(certain, words.length);
      if (c === '"') quote = '';
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      inWord = true;
    } else if (c === '#') {
      break;
    } else if (c === ' ' || c === '\t' || c === '\v' || c === '\f') {
      if (inWord) words.push(word);
      word = '';
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord) words.push(word);
  return { words, certain: Math.min(certain, words.length) };
}

const escapedBlanks: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };

/** What a backslash and the following characters mean; one that escapes nothing stays in the word. */
function readEscape(behind: string, inDoubleQuotes: boolean): { text: string; length: number } {
  const c = behind.charAt(0);
  const blank = escapedBlanks[c];
  if (blank !== undefined) return { text: blank, length: 1 };
  const hex = /^x([\da-fA-F]{2})/.exec(behind)?.[1];
  if (hex !== undefined) return { text: String.fromCharCode(Number.parseInt(hex, 16)), length: 3 };
  const escapes = inDoubleQuotes ? /^[ \\#'"$]/ : /^[ \\#'"]/;
  return escapes.test(c) ? { text: c, length: 1 } : { text: '\\', length: 0 };
}
