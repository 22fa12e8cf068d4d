/** One line of a HAProxy configuration, as the proxy itself would cut it into words. */
export interface ConfigLine {
  /** Counted from 1. */
  readonly number: number;
  readonly words: readonly string[];
  /** The section keyword the line stands under (`frontend`, `global` …); for a section's own line, that section. */
  readonly section: string;
  readonly sectionName: string;
  /** Between `.if` and `.endif`: whether the line is active is the proxy's to decide, so nothing may rely on it. */
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
  'resolvers',
  'userlist',
  'program',
  'cache',
  'ring',
  'http-errors',
  'log-forward',
  'fcgi-app',
  'crt-store',
  'traces',
]);

/**
 * The lines of a configuration that say something, comments and blank lines left out.
 * Not a full parser: environment variables are left as they are written.
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
    const words = splitWords(line);
    const first = words[0];
    if (first === undefined) continue;
    if (first === '.if') depth += 1;
    else if (first === '.endif') depth = Math.max(0, depth - 1);
    if (sectionKeywords.has(first)) {
      section = first;
      sectionName = words[1] ?? '';
    }
    yield { number, words, section, sectionName, conditional: depth > 0 };
  }
}

/** Words as HAProxy's own `parse_line` cuts them: quotes, backslash escapes, and `#` as a comment wherever it stands. */
export function splitWords(line: string): string[] {
  // Most lines hold none of the four; a configuration of thousands of sites is read at every reload.
  if (!/["'\\#]/.test(line)) return line.split(/[ \t\r]+/).filter((word) => word !== '');
  const words: string[] = [];
  let word = '';
  let inWord = false;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    if (quote === "'") {
      if (c === "'") quote = '';
      else word += c;
    } else if (c === '\\' && i + 1 < line.length) {
      word += line.charAt(++i);
      inWord = true;
    } else if (quote === '"') {
      if (c === '"') quote = '';
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      inWord = true;
    } else if (c === '#') {
      break;
    } else if (c === ' ' || c === '\t' || c === '\r') {
      if (inWord) words.push(word);
      word = '';
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord) words.push(word);
  return words;
}
