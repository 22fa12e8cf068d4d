// Detects the format of a list by its first lines.
import { isIP } from 'node:net';
import { withoutComment } from '../domain/list-line.ts';
import { csvReader, headerColumns, splitRecord } from './csv.ts';
import { readMapLine } from './map.ts';
import { readNetsetLine } from './netset.ts';
import { readPlainLine } from './plain.ts';
import type { LineReader } from './reading.ts';

export const listFormats = ['list', 'csv', 'map', 'netset'] as const;
export type ListFormat = (typeof listFormats)[number];

export function readerOf(format: ListFormat): LineReader {
  switch (format) {
    case 'list':
      return readPlainLine;
    case 'csv':
      return csvReader();
    case 'map':
      return readMapLine;
    case 'netset':
      return readNetsetLine;
  }
}

/** Null: the line fits any format, or none. */
export function formatOfLine(line: string): ListFormat | null {
  if (/^# proxy-manager (database=|trusted )/.test(line)) return 'map';
  if (/^[ \t]*(create|add|-N|-A)[ \t]+[^ \t]+[ \t]+[^ \t]/.test(line)) return 'netset';
  const text = withoutComment(line);
  if (text === '') return null;
  const [first = '', second, third] = text.split(/[ \t]+/);
  if (isAddress(first)) return second !== undefined && third === undefined && /^[0-9]+$/.test(second) ? 'map' : 'list';
  const fields = splitRecord(line);
  if (fields === null || fields.length === 0) return null;
  if (headerColumns(fields) !== null || (fields.length > 1 && isAddress(fields[0]!))) return 'csv';
  return null;
}

/** A rough check: the format's reader validates it. */
function isAddress(text: string): boolean {
  return isIP(text.replace(/\/[0-9]+$/, '')) !== 0;
}
