// The result of reading a line, common to all formats.
import type { SourceKind } from '../domain/source-name.ts';
import type { LineOfFile } from './lines.ts';

/** Until a time (null: permanent), or for a duration from now. */
export type ListExpiry = { readonly at: string | null } | { readonly seconds: number };

export interface ListEntry {
  /** Canonical text of the address or network. */
  readonly ip: string;
  readonly reason?: string;
  readonly blockedBy?: string;
  /** Absent: not in the line. */
  readonly expiry?: ListExpiry;
  /** Absent: the list has no sources. */
  readonly source?: string;
  /** Of the source, if the list has it. */
  readonly kind?: SourceKind;
}

export type LineReading =
  | { readonly kind: 'entry'; readonly entry: ListEntry }
  /** A blank line, a comment, a header row. */
  | { readonly kind: 'nothing' }
  /** `why` says what would be valid. */
  | { readonly kind: 'bad'; readonly value: string; readonly why: string };

/** Reads one line, without its line end. A reader may remember earlier lines (the header row of CSV). */
export type LineReader = (line: string) => LineReading;

export interface NumberedReading {
  /** Counted from 1. */
  readonly line: number;
  readonly reading: LineReading;
}

export const nothing: LineReading = { kind: 'nothing' };

export function bad(value: string, why: string): LineReading {
  return { kind: 'bad', value: value.slice(0, longestShown), why };
}

const longestShown = 100;

/** A line longer than any format's is not parsed. */
export function readNumbered(reader: LineReader, { number, text, tooLong }: LineOfFile): NumberedReading {
  const reading = tooLong ? bad(text, 'is longer than 4,096 characters; write one address per line') : reader(text);
  return { line: number, reading };
}
