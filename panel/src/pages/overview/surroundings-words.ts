import type { ServerState, Webhook } from '../../api/types.ts';
import { counted } from '../../parts/counted.ts';
import type { Tone } from '../../parts/state-mark.tsx';
import { siteWords } from '../sites/server-words.ts';

export interface SiteStates {
  readonly domain: string;
  /** Undefined: not asked yet, or it could not be. */
  readonly states: readonly ServerState[] | undefined;
}

interface Told {
  readonly tone: Tone;
  readonly words: string;
}

/** @param total of all sites; of those beyond `asked` nothing is known */
export function sitesWords(total: number, asked: readonly SiteStates[]): Told {
  const of = (tone: Tone) => asked.filter(({ states }) => siteWords(states).tone === tone).map(({ domain }) => domain);
  const [down, partly, good] = [of('bad'), of('warn'), of('good')];
  const unknown = total - down.length - partly.length - good.length;
  const rest = unknown === 0 ? '' : ` ${counted(unknown, 'site')} not known.`;
  if (down.length > 0)
    return {
      tone: 'bad',
      words: `${down.length} of ${counted(total, 'site')} without a server: ${listed(down)}.${rest}`,
    };
  if (partly.length > 0) return { tone: 'warn', words: `Not every server is up: ${listed(partly)}.${rest}` };
  if (unknown > 0) return { tone: 'unknown', words: `${good.length} of ${counted(total, 'site')} up.${rest}` };
  return { tone: 'good', words: total === 1 ? 'Its servers are up.' : `All servers of ${total} sites are up.` };
}

export function webhooksWords(hooks: readonly Webhook[]): Told {
  const failing = hooks.filter(({ enabled, failing_since: since }) => enabled && since !== null).map(({ id }) => id);
  if (failing.length > 0)
    return {
      tone: 'warn',
      words: `${failing.length} of ${counted(hooks.length, 'webhook')} failing: ${listed(failing)}.`,
    };
  return { tone: 'good', words: hooks.length === 1 ? 'It does not fail.' : `None of ${hooks.length} fails.` };
}

function listed(names: readonly string[]): string {
  const more = names.length - 3;
  return `${names.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
