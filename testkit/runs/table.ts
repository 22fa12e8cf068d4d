// Maintains a table in a Markdown page between `<!-- NAME -->` and `<!-- end of NAME -->`.

const begin = (name: string): string => `<!-- ${name} -->`;
const end = (name: string): string => `<!-- end of ${name} -->`;

interface Place {
  readonly before: string;
  /** The header and the line of dashes. */
  readonly head: readonly string[];
  readonly rows: readonly string[];
  readonly after: string;
}

/** @throws Error without such a table */
function find(page: string, name: string): Place {
  const from = page.indexOf(begin(name));
  const to = page.indexOf(end(name), from);
  if (from < 0 || to < 0) throw new Error(`the page has no table between "${begin(name)}" and "${end(name)}"`);
  const start = from + begin(name).length;
  const lines = page.slice(start, to).split('\n');
  const table = lines.filter((line) => line.startsWith('|'));
  if (table.length < 2) throw new Error(`the table "${name}" has no header`);
  return { before: page.slice(0, start), head: table.slice(0, 2), rows: table.slice(2), after: page.slice(to) };
}

const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

const lineOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;

export function rowsOf(page: string, name: string): string[][] {
  return find(page, name).rows.map(cellsOf);
}

export function withRow(page: string, name: string, cells: readonly string[]): string {
  const { before, head, rows, after } = find(page, name);
  return `${before}\n${[...head, ...rows, lineOf(cells)].join('\n')}\n${after}`;
}

export function withRows(page: string, name: string, rows: readonly (readonly string[])[]): string {
  const { before, head, after } = find(page, name);
  return `${before}\n${[...head, ...rows.map(lineOf)].join('\n')}\n${after}`;
}
