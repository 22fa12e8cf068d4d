export interface DiffLine {
  /** `place`: a hunk's header or a file's. */
  readonly kind: 'added' | 'removed' | 'place' | 'same';
  readonly text: string;
}

/** The lines of a unified diff. Its two lines with the names of the files are left out: both are the live file. */
export function readDiff(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(0, first)).map((text) => ({ kind: kindOf(text), text }));
}

function kindOf(line: string): DiffLine['kind'] {
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
