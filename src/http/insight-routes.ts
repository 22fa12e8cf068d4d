import type { FastifyInstance } from 'fastify';
import {
  getAttack,
  getInsight,
  getLimits,
  getSeries,
  ignoreCandidate,
  listAttacks,
  listCandidates,
  listKnocking,
  listSiteTraffic,
  listSourceEffects,
  setLimits,
} from '../api/insight.ts';
import { parseIp } from '../domain/ip.ts';
import { quote } from '../domain/quote.ts';
import { isRange } from '../insight/ranges.ts';
import { whileWaiting } from './client-gone.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import { RequestLimit } from './request-limit.ts';
import { pathAddress, validDuration } from './request-values.ts';
import type { Services } from './services.ts';

const defaultRange = '24h';
/** Each reads all entries that were hit, alternating with the others. */
const counts = { all: 8, ofKey: 4 };

export function insightRoutes(app: FastifyInstance, { insight }: Services): void {
  const counting = new RequestLimit(counts.all, counts.ofKey);
  handle(app, getInsight, ({ query }) => insight.summary(rangeOf(query.range)));
  handle(app, getSeries, ({ query }) => {
    if (query.by !== undefined && query.by !== 'none' && (query.metric ?? 'denied') !== 'denied') {
      throw rejectedFields([
        { name: 'by', description: `${quote(query.metric ?? '')} cannot be divided by ${query.by}; only denied can` },
      ]);
    }
    return insight.series(query, rangeOf(query.range));
  });
  handle(app, listKnocking, ({ query }) =>
    insight.knocking({ ...query, ...entryOf(query.entry) }, rangeOf(query.range)),
  );
  handle(app, listSourceEffects, (waiting) =>
    whileWaiting(counting, waiting, (signal) => insight.sourceEffects(rangeOf(waiting.query.range), signal)),
  );
  handle(app, listSiteTraffic, () => insight.siteTraffic());
  handle(app, listCandidates, () => insight.candidates());
  handle(app, ignoreCandidate, ({ params, body, caller }) =>
    insight.ignore(pathAddress(params.ip_address).text, body.ignored_for_seconds, caller),
  );
  handle(app, getLimits, () => insight.limits());
  handle(app, setLimits, ({ body, caller }) => insight.setLimits(body, caller));
  handle(app, listAttacks, () => insight.attacks());
  handle(app, getAttack, ({ params }) => insight.attack(Number(params.id)));
}

/** In seconds. Errors: 100, 104. */
function rangeOf(text: string = defaultRange): number {
  const seconds = validDuration('range', text);
  if (isRange(seconds)) return seconds;
  throw rejectedFields([{ name: 'range', description: `${quote(text)} is not valid: it must be from 1h to 400d` }]);
}

function entryOf(text: string | undefined) {
  if (text === undefined) return {};
  const parsed = parseIp(text);
  if (parsed.ok) return { entry: parsed.entry.text };
  throw rejectedFields([{ name: 'entry', description: parsed.why }]);
}
