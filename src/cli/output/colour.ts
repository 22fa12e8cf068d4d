// Colours never carry information alone: each comes with a word.

export type Style = 'good' | 'warning' | 'error' | 'dim' | 'title';

const codes: Readonly<Record<Style, string>> = { good: '32', warning: '33', error: '31;1', dim: '2', title: '1' };

export function painted(style: Style, text: string): string {
  return `\u001b[${codes[style]}m${text}\u001b[0m`;
}

export function unpainted(_style: Style, text: string): string {
  return text;
}

/** https://no-color.org: set and not empty. */
export function mayPaint(isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): boolean {
  return isTerminal && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
}
