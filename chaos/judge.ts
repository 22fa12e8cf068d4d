// Whether an answer is one that the faults of the moment permit.
import type { Answer, JsonBody } from '../testkit/real-service.ts';
import type { ChaosStack } from './stack.ts';
import { clock, type Story } from './story.ts';
import type { Windows } from './windows.ts';

export interface Figures {
  operations: number;
  slowestFastPathMs: number;
  /** Answers of the fast path over the limit; only a figure, because of busy machines. */
  slowFastPath: number;
  /** By operation and status, `block 201`; 0: none. */
  readonly answers: Map<string, number>;
}

/** Promise 3. */
const fastPathLimitMs = 2_000;

export type ApiOutcome = { readonly answer: Answer<JsonBody> } | { readonly lost: string; readonly sent: boolean };

interface JudgeContext {
  readonly stack: ChaosStack;
  readonly story: Story;
  readonly windows: Windows;
}

/** Each method returns the answer in short, and records a broken promise in the story. */
export class Judge {
  readonly #context: JudgeContext;
  readonly #figures: Figures;

  constructor(context: JudgeContext, figures: Figures) {
    this.#context = context;
    this.#figures = figures;
  }

  fastPath(what: string, begun: number, outcome: ApiOutcome): string {
    const took = clock() - begun;
    if (!this.#context.windows.excuse('api', begun, clock()) && 'answer' in outcome) {
      this.#figures.slowestFastPathMs = Math.max(this.#figures.slowestFastPathMs, took);
      if (took > fastPathLimitMs) this.#figures.slowFastPath += 1;
    }
    return this.change(what, begun, outcome, [200, 201, 404, 409]);
  }

  /** Only an unusable database or file excuses a 503, and only a dead service a missing answer. */
  change(what: string, begun: number, outcome: ApiOutcome, expected: readonly number[]): string {
    const { windows, story, stack } = this.#context;
    const text = this.#count(what, outcome);
    const now = clock();
    if (
      'answer' in outcome &&
      outcome.answer.body.runtime_map_updated === true &&
      stack.operator?.hadNoSocket(begun, now)
    ) {
      story.addBroken(`${what} was answered with runtime_map_updated, and HAProxy had no master socket`);
    }
    if (!('answer' in outcome)) {
      if (!windows.excuse('api', begun, now)) story.addBroken(`${what} got no answer: ${outcome.lost}`);
    } else if (!expected.includes(outcome.answer.status)) {
      const storage = outcome.answer.status === 503 && windows.excuse('storage', begun, now);
      if (!storage)
        story.addBroken(`${what} was answered ${outcome.answer.status}: ${outcome.answer.text.slice(0, 1_000)}`);
    }
    return text;
  }

  /** A reload may fail only while something is broken. */
  other(what: string, outcome: ApiOutcome, expected: readonly number[]): string {
    const { windows, story } = this.#context;
    const text = this.#count(what, outcome);
    if (windows.struckBefore(clock())) return text;
    if (!('answer' in outcome)) story.addBroken(`${what} got no answer: ${outcome.lost}`);
    else if (!expected.includes(outcome.answer.status)) {
      story.addBroken(`${what} was answered ${outcome.answer.status}: ${outcome.answer.text.slice(0, 1_000)}`);
    }
    return text;
  }

  #count(what: string, outcome: ApiOutcome): string {
    const status = 'answer' in outcome ? outcome.answer.status : 0;
    const key = `${what} ${status}`;
    this.#figures.answers.set(key, (this.#figures.answers.get(key) ?? 0) + 1);
    if (!('answer' in outcome)) return `no answer (${outcome.lost})`;
    const { body } = outcome.answer;
    const updated = body.runtime_map_updated;
    if (updated === undefined) return status < 300 ? String(status) : `${status} ${outcome.answer.text.slice(0, 300)}`;
    if (updated === true) return `${status} updated`;
    const [failure] = (body.runtime_map_failures ?? []) as { worker: number | null; reason: string }[];
    const why = `worker ${failure?.worker}: ${failure?.reason}`;
    return `${status} not updated (${why})${body.reload_scheduled === true ? ', reload scheduled' : ''}`;
  }
}
