// Tokens of a line of HAProxy's configuration, for colouring (configuration manual, 2.2 "Quoting and escaping"). Quotes
// end with the line. The joined texts of the tokens are the line.

export type TokenKind =
  | 'blank'
  | 'comment'
  | 'section'
  | 'name'
  /** The first word of any other line. */
  | 'keyword'
  | 'condition'
  /** `.if`, `.endif`, … */
  | 'directive'
  | 'string'
  /** `%[…]`, `${…}` */
  | 'expression'
  | 'number'
  | 'address'
  | 'path'
  | 'word';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const sections = new Set(
  `acme backend cache crt-store defaults fcgi-app frontend global http-errors listen log-forward log-profile mailers peers
   program resolvers ring traces userlist`.split(/\s+/),
);

export function sectionOf(line: string): { readonly type: string; readonly name: string } | null {
  const [, type = '', name = ''] = /^\s*([a-z-]+)(?:\s+([^\s#]+))?/.exec(line) ?? [];
  return sections.has(type) ? { type, name } : null;
}

export function tokenize(line: string): Token[] {
  const tokens: Token[] = [];
  const section = sectionOf(line) !== null;
  let words = 0;
  let at = 0;
  while (at < line.length) {
    const end = endOfToken(line, at);
    const text = line.slice(at, end);
    at = end;
    if (/^\s/.test(text)) tokens.push({ kind: 'blank', text });
    else if (text.startsWith('#')) tokens.push({ kind: 'comment', text });
    else {
      tokens.push({ kind: kindOfWord(text, words, section), text });
      words += 1;
    }
  }
  return tokens;
}

function kindOfWord(text: string, place: number, section: boolean): TokenKind {
  if (place === 0) return section ? 'section' : text.startsWith('.') ? 'directive' : 'keyword';
  if (section && place === 1) return 'name';
  if (/^(if|unless|or|\|\||!|[{}]|!\{)$/.test(text)) return 'condition';
  if (/^["']/.test(text)) return 'string';
  if (/^%[[{]|^\$\{/.test(text)) return 'expression';
  if (/^\d+(us|ms|s|m|h|d|k|g|%)?$/i.test(text)) return 'number';
  if (/^(\*|\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])?(:\d+)$|^\d{1,3}(\.\d{1,3}){3}(\/\d+)?$/i.test(text))
    return 'address';
  if (/^(ipv[46]@|unix@)?\/[^\s]*$|^(ipv[46]|unix)@/.test(text)) return 'path';
  return 'word';
}

/** Blanks up to the next word, a word with its quotes and escapes, or the comment that ends the line. */
function endOfToken(line: string, from: number): number {
  if (/\s/.test(line[from] as string)) return from + (/^\s+/.exec(line.slice(from)) as RegExpExecArray)[0].length;
  if (line[from] === '#') return line.length;
  let quote: string | null = null;
  for (let at = from; at < line.length; at += 1) {
    const character = line[at] as string;
    // Single quotes have no escapes.
    if (character === '\\' && quote !== "'") at += 1;
    else if (quote !== null) quote = character === quote ? null : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (/[\s#]/.test(character)) return at;
  }
  return line.length;
}
