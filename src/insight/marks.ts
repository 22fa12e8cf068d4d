// What a chart of denied requests names, and no other table keeps: starts of the service, and imports.
import { count } from '../domain/counted.ts';
import type { FactListener } from '../events/facts.ts';

export interface Mark {
  /** In seconds since 1970. */
  readonly at: number;
  readonly kind: 'import' | 'start';
  readonly text: string;
}

interface StoredMarks {
  readonly marks: readonly Mark[];
}

const mostMarks = 400;
/** Changed entries: fewer are everyday work of agents. */
const fewestEntries = 100;

/** Stored with the figures once a minute. */
export class Marks {
  readonly #now: () => Date;
  #marks: readonly Mark[] = [];

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Those of earlier runs. */
  restore(stored: readonly Mark[] = []): void {
    this.#marks = [...stored, ...this.#marks].slice(-mostMarks);
  }

  /** For the database. */
  get states(): StoredMarks {
    return { marks: this.#marks };
  }

  /** With `from <= at < to`, in seconds. */
  between(from: number, to: number): readonly Mark[] {
    return this.#marks.filter(({ at }) => at >= from && at < to);
  }

  started(): void {
    this.#add('start', 'The service started');
  }

  readonly listener: FactListener = ({ type, data }) => {
    if (type !== 'operation.done') return;
    if (data.operation !== 'batch' && data.operation !== 'replace') return;
    const { added, removed } = data.subject;
    if (added + removed < fewestEntries) return;
    this.#add('import', `Import: ${count(added)} blocked, ${count(removed)} unblocked`);
  };

  #add(kind: Mark['kind'], text: string): void {
    const at = Math.floor(this.#now().getTime() / 1_000);
    this.#marks = [...this.#marks, { at, kind, text }].slice(-mostMarks);
  }
}
