import { counted } from '../../../../../src/domain/counted.ts';
import type { AcmeAttempt, AcmeCertificate, AcmeProblem, AcmeStatus } from '../../../api/types.ts';
import type { Tone } from '../../../parts/state-mark.tsx';
import { momentText } from '../../../parts/times.ts';

interface Words {
  readonly tone: Tone;
  readonly words: string;
}

const steps: Readonly<Record<AcmeAttempt['state'], string>> = {
  planned: 'The order is stored',
  created: 'The authority accepted the order',
  showing: 'The challenge responses are published',
  told: 'The authority validates the names',
  finalizing: 'The names are valid; the certificate is requested',
  issued: 'The certificate is issued',
  stored: 'The certificate is stored',
  failed: 'The order failed',
};

const reasons: Readonly<Record<AcmeCertificate['due_by'], string>> = {
  request: 'as requested',
  age: 'because of its age',
  ari: 'as the authority suggests',
  retry: 'after a failed order',
  limit: 'when the limit ends',
};

/** An older page may not know a state of a newer service. */
export function stepWords({ state }: Pick<AcmeAttempt, 'state'>): string {
  return steps[state] ?? state;
}

/** The open order; null: none was seen. */
export function openOrder({ attempts }: Pick<AcmeCertificate, 'attempts'>): AcmeAttempt | null {
  return attempts.find(({ ended_at: ended }) => ended === null) ?? null;
}

/** Whether an order is about to begin, or open, so that its steps are worth following. @param now milliseconds */
export function isUnderWay({ due_at: due }: Pick<AcmeCertificate, 'due_at'>, now: number): boolean {
  return Date.parse(due) <= now;
}

/** What an operator should know first. */
export function orderState(certificate: AcmeCertificate): Words {
  const { not_after: end, problem } = certificate;
  if (problem !== null) return { tone: end === null ? 'bad' : 'warn', words: classWords(problem) };
  const open = openOrder(certificate);
  if (open !== null) return { tone: 'unknown', words: stepWords(open) };
  return end === null ? { tone: 'unknown', words: 'Not issued yet' } : { tone: 'good', words: 'Issued' };
}

function classWords({ class: kind }: AcmeProblem): string {
  if (kind === 'limited') return 'Limit reached, will retry';
  return kind === 'needs attention' ? 'Needs attention' : 'Failed, will retry';
}

/** What the operator can do; null: nothing. */
export function remedyWords({ class: kind, advice }: Pick<AcmeProblem, 'class' | 'advice'>): string | null {
  if (advice !== null) return advice;
  return kind === 'needs attention' ? 'Correct the cause, then renew.' : null;
}

/** When the next order is due, and why. @param now milliseconds */
export function dueWords({ due_at: due, due_by: why, failures }: AcmeCertificate, now: number): string {
  const after = why === 'retry' && failures > 1 ? `after ${counted(failures, 'failed order')}` : reasons[why];
  return Date.parse(due) <= now ? `Now, ${after}` : `${momentText(due)}, ${after}`;
}

export function pauseWords({ directory, scope, until, problem }: AcmeStatus['pauses'][number]): string {
  const what = scope === 'orders' ? 'No new orders' : 'No requests';
  return `${what} to ${directory} before ${momentText(until)}: ${problem.detail}`;
}

/** Names as a person types them: separated by spaces, commas or lines. */
export function namesIn(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter((name) => name !== '');
}
