// What a line of a list says. Every format's reader answers in this form; nothing here does anything with it.
import type { LineOfFile } from './lines.ts';

/** How long a line's entry is to be blocked: until a moment (null: for good), or for a span from now. */
export type ListExpiry = { readonly at: string | null } | { readonly seconds: number };

export interface ListEntry {
  /** Canonical text of the address or network. */
  readonly ip: string;
  readonly reason?: string;
  readonly blockedBy?: string;
  /** Absent: the line says nothing of it. */
  readonly expiry?: ListExpiry;
}

export type LineReading =
  | { readonly kind: 'entry'; readonly entry: ListEntry }
  /** A blank line, a comment, a header row. */
  | { readonly kind: 'nothing' }
  /** `why` names what would be right. */
  | { readonly kind: 'bad'; readonly value: string; readonly why: string };

/** Reads one line, without its line end. A reader may remember what stood before (the header row of CSV). */
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

/** A line that is longer than any format's is never looked into. */
export function readNumbered(reader: LineReader, { number, text, tooLong }: LineOfFile): NumberedReading {
  const reading = tooLong ? bad(text, 'is longer than 4,096 characters; a list has one address a line') : reader(text);
  return { line: number, reading };
}
