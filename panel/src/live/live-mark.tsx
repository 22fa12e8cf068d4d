import { ApiProblem, ApiUnreachable } from '../../../src/client/client.ts';
import { spanText, useNow } from '../parts/age.tsx';
import { problemText } from '../parts/problem-alert.tsx';
import { StateMark, type Tone } from '../parts/state-mark.tsx';
import { momentText } from '../parts/times.ts';
import type { StreamState } from './event-stream.ts';
import { useStreamState } from './live.tsx';

export function LiveMark() {
  const state = useStreamState();
  const now = useNow();
  const { tone, words } = liveWords(state, now);
  return (
    <div role="status" data-testid="live">
      <StateMark tone={tone}>{words}</StateMark>
    </div>
  );
}

function liveWords(state: StreamState, now: number): { readonly tone: Tone; readonly words: string } {
  switch (state.kind) {
    case 'live':
      return { tone: 'good', words: 'Live' };
    case 'opening':
    case 'off':
      return { tone: 'unknown', words: 'Connecting…' };
    case 'lost': {
      const next = state.retryAt > now ? `retrying in ${spanText(state.retryAt - now)}` : 'retrying now';
      return { tone: 'warn', words: `Disconnected since ${momentText(state.since)}: ${whyText(state.why)} (${next})` };
    }
  }
}

function whyText(why: unknown): string {
  if (why instanceof ApiProblem && why.status === 404) return 'this service has no event stream';
  if (why instanceof ApiUnreachable && why.reason !== 'foreign') return 'the service does not respond';
  return problemText(why);
}
