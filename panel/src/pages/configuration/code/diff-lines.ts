export interface DiffLine {
  /** `hunk`: the header of a hunk. */
  readonly kind: 'added' | 'removed' | 'hunk' | 'same';
  readonly text: string;
}

/** The lines of a unified diff without its file names: both are the live file. */
export function readDiff(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(0, first)).map((text) => ({ kind: kindOf(text), text }));
}

function kindOf(line: string): DiffLine['kind'] {
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
