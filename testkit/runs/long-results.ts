// One JSON line per piece, so that a run can be interrupted and resumed.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Piece } from './long-plan.ts';

/** Skips a line that was cut off. */
export function readPieces(path: string): Piece[] {
  return textOf(path)
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Piece];
      } catch (error) {
        if (error instanceof SyntaxError) return [];
        throw error;
      }
    });
}

export function appendPiece(path: string, piece: Piece): void {
  mkdirSync(dirname(path), { recursive: true });
  const cutOff = /[^\n]$/.test(textOf(path));
  appendFileSync(path, `${cutOff ? '\n' : ''}${JSON.stringify(piece)}\n`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
