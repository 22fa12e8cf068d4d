// A unified diff of two configurations. The changed part between the common start and end is compared by longest common
// subsequence, or shown as a whole if it is too long for that.

const context = 3;
/** Lines times lines; beyond it the changed part is shown as removed and added whole. */
const comparisonLimit = 4_000_000;

type Edit = { readonly mark: ' ' | '-' | '+'; readonly line: string };

/** As `diff` and `patch` write it, after a last line without a newline. */
const noNewline = '\n\\ No newline at end of file';

/** Empty when both are the same. @param of what `after` is */
export function unifiedDiff(before: string, after: string, path: string, of = 'rendered'): string {
  if (before === after) return '';
  const edits = editsBetween(linesOf(before), linesOf(after));
  let text = `--- ${path} (live)\n+++ ${path} (${of})\n`;
  for (const [start, end] of hunks(edits)) text += hunkText(edits, start, end);
  return text;
}

export function changedLines(diff: string): { added: number; removed: number } {
  // Its first two lines name the files.
  const lines = diff.split('\n').slice(2);
  const marked = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { added: marked('+'), removed: marked('-') };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop()}${noNewline}`);
  return lines;
}

function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  while (
    tail < before.length - start &&
    tail < after.length - start &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    tail += 1;
  }
  const same = (line: string): Edit => ({ mark: ' ', line });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - tail), after.slice(start, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function middle(before: readonly string[], after: readonly string[]): Edit[] {
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > comparisonLimit) {
    return [...before.map((line): Edit => ({ mark: '-', line })), ...after.map((line): Edit => ({ mark: '+', line }))];
  }
  // lengths[i][j]: the longest common subsequence of before[i..] and after[j..].
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] === after[j]) {
      edits.push({ mark: ' ', line: before[i]! });
      i += 1;
      j += 1;
    } else if (j >= columns || (i < rows && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      edits.push({ mark: '-', line: before[i]! });
      i += 1;
    } else {
      edits.push({ mark: '+', line: after[j]! });
      j += 1;
    }
  }
  return edits;
}

/** Ranges of edits to show: each change with its context, near ones together. */
function hunks(edits: readonly Edit[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const [index, edit] of edits.entries()) {
    if (edit.mark === ' ') continue;
    const [start, end] = [Math.max(0, index - context), Math.min(edits.length, index + context + 1)];
    const last = ranges.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else ranges.push([start, end]);
  }
  return ranges;
}

function hunkText(edits: readonly Edit[], start: number, end: number): string {
  const shown = edits.slice(start, end);
  const count = (list: readonly Edit[], without: '-' | '+'): number =>
    list.filter(({ mark }) => mark !== without).length;
  const position = (without: '-' | '+'): string => {
    const length = count(shown, without);
    const first = count(edits.slice(0, start), without) + (length === 0 ? 0 : 1);
    return `${first},${length}`;
  };
  const lines = shown.map(({ mark, line }) => `${mark}${line}\n`);
  return `@@ -${position('+')} +${position('-')} @@\n${lines.join('')}`;
}
