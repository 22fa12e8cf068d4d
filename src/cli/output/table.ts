import type { Style } from './colour.ts';
import { harmless } from './harmless.ts';

// Roughly as in UAX 11: wide scripts and emoji take two columns, marks none.

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const doubleWidth =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

export function displayWidth(text: string): number {
  // The common case, without the regular expressions.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** `…` replaces what was cut. */
export function fitted(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function widthOf(character: string): number {
  if (zeroWidth.test(character)) return 0;
  return doubleWidth.test(character) ? 2 : 1;
}

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** For a program, if it differs: an ISO time instead of "in 3 h". */
  readonly plain?: (row: Row) => string;
  /** May be cut, the last such column first. Never an address: cut, it would be another one. */
  readonly mayShrink?: boolean;
  readonly style?: (row: Row) => Style | null;
}

const gap = '  ';
const minShrunkWidth = 8;

/** Without a title row; an empty field is `-`. */
export function plainLine<Row>(columns: readonly Column<Row>[], row: Row): string {
  return columns
    .map(({ text, plain }) => harmless((plain ?? text)(row)))
    .map((field) => (field === '' ? '-' : field))
    .join('\t');
}

interface TableDeps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly width: number;
  readonly paint: (style: Style, text: string) => string;
}

/** The first page determines the column widths. */
export class Table<Row> {
  readonly #deps: TableDeps<Row>;
  #widths: number[] | null = null;

  constructor(deps: TableDeps<Row>) {
    this.#deps = deps;
  }

  page(rows: readonly Row[]): string[] {
    const cells = rows.map((row) => this.#deps.columns.map(({ text }) => harmless(text(row))));
    const lines: string[] = [];
    if (this.#widths === null) {
      this.#widths = this.#fit(cells);
      lines.push(this.#deps.paint('title', this.#line(this.#deps.columns.map(({ title }) => title))));
    }
    for (const [index, texts] of cells.entries()) lines.push(this.#line(texts, rows[index]!));
    return lines;
  }

  #fit(cells: readonly (readonly string[])[]): number[] {
    const widths = this.#deps.columns.map(({ title }, column) =>
      cells.reduce((widest, texts) => Math.max(widest, displayWidth(texts[column]!)), title.length),
    );
    let over = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - this.#deps.width;
    for (let column = widths.length - 1; column >= 0 && over > 0; column -= 1) {
      if (this.#deps.columns[column]!.mayShrink !== true) continue;
      const given = Math.min(over, Math.max(0, widths[column]! - minShrunkWidth));
      widths[column] = widths[column]! - given;
      over -= given;
    }
    return widths;
  }

  #line(texts: readonly string[], row?: Row): string {
    const cells = texts.map((text, column) => {
      const { mayShrink, style } = this.#deps.columns[column]!;
      const width = this.#widths![column]!;
      const cell = mayShrink === true ? fitted(text, width) : text;
      const shown = column === texts.length - 1 ? cell : padded(cell, width);
      const painted = row === undefined ? null : (style?.(row) ?? null);
      return painted === null ? shown : this.#deps.paint(painted, shown);
    });
    return cells.join(gap).trimEnd();
  }
}
