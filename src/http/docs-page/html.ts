export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[];

export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(parts.map((part, index) => (index === 0 ? '' : shown(values[index - 1] as Part)) + part).join(''));
}

function shown(value: Part): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(shown).join('');
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Supports paragraphs and `code`. */
export function paragraphs(text: string): Html {
  return html`${text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`;
}

/** One paragraph without its element. */
export function inline(text: string): Html {
  const pieces = text.split('`');
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

/** Allows line breaks in a long path or name. */
export function breakable(text: string): Html {
  return new Html(html`${text}`.text.replaceAll(/[/_]/g, '$&<wbr>'));
}
