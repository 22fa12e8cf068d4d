import type { NumberedReading } from '../../lists/reading.ts';
import { type ElementDefaults, readElement } from './elements.ts';
import type { StreamedList } from './requests.ts';
import type { RejectedLine } from './tally.ts';

export interface Replacement extends StreamedList {
  /** The line that the API's rejection refers to. */
  lineOf(rejection: { readonly line?: number; readonly index?: number }): number;
  readonly lines: number;
  readonly entries: number;
}

type Readings = AsyncIterable<readonly NumberedReading[]>;
type Reject = (rejected: RejectedLine) => void;

/** One line for each line of the list, empty without an entry, so that line numbers agree. */
export function textSet(readings: Readings, defaults: ElementDefaults, reject: Reject): Replacement {
  const seen = { lines: 0, entries: 0 };
  async function* chunks(): AsyncGenerator<string> {
    for await (const group of readings) {
      let text = '';
      for (const numbered of group) {
        const reading = readElement(numbered, defaults);
        seen.lines = reading.line;
        if (reading.kind === 'element') {
          seen.entries += 1;
          text += reading.ip;
        } else if (reading.kind === 'bad') {
          reject({ line: reading.line, value: reading.value, why: reading.why });
        }
        text += '\n';
      }
      yield text;
    }
  }
  return {
    contentType: 'text/plain',
    chunks: chunks(),
    lineOf: ({ line = 0 }) => line,
    get lines() {
      return seen.lines;
    },
    get entries() {
      return seen.entries;
    },
  };
}

/** For entries with a reason or expiry: a JSON array. */
export function jsonSet(readings: Readings, defaults: ElementDefaults, reject: Reject): Replacement {
  const seen = { lines: 0, entries: 0 };
  const numbers = new ElementLines();
  async function* chunks(): AsyncGenerator<string> {
    yield '[';
    for await (const group of readings) {
      let text = '';
      for (const numbered of group) {
        const reading = readElement(numbered, defaults);
        seen.lines = reading.line;
        if (reading.kind === 'bad') reject({ line: reading.line, value: reading.value, why: reading.why });
        if (reading.kind !== 'element') continue;
        numbers.add(seen.entries, reading.line);
        text += `${seen.entries === 0 ? '' : ','}${JSON.stringify(reading.element)}\n`;
        seen.entries += 1;
      }
      if (text !== '') yield text;
    }
    yield ']';
  }
  return {
    contentType: 'application/json',
    chunks: chunks(),
    lineOf: ({ index = 0 }) => numbers.lineOf(index),
    get lines() {
      return seen.lines;
    },
    get entries() {
      return seen.entries;
    },
  };
}

/** Memory grows with the gaps between entries, not with their number. */
export class ElementLines {
  /** Index and line of the first element of each run without a gap. */
  readonly #indices: number[] = [];
  readonly #lines: number[] = [];

  add(index: number, line: number): void {
    const last = this.#indices.length - 1;
    if (last >= 0 && line - this.#lines[last]! === index - this.#indices[last]!) return;
    this.#indices.push(index);
    this.#lines.push(line);
  }

  lineOf(index: number): number {
    let low = 0;
    let high = this.#indices.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#indices[middle]! <= index) low = middle;
      else high = middle - 1;
    }
    return (this.#lines[low] ?? 0) + index - (this.#indices[low] ?? 0);
  }
}
