// What descriptions use of Markdown: paragraphs and `code`.
import { Html, html } from './html.ts';

export function paragraphs(text: string): Html {
  return html`${text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`;
}

/** One paragraph without its element. */
export function inline(text: string): Html {
  const pieces = text.split('`');
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

/** Where a line may be broken in a long path or name. */
export function breakable(text: string): Html {
  return new Html(html`${text}`.text.replaceAll(/[/_]/g, '$&<wbr>'));
}
