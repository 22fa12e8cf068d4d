import {
  getAttack,
  getInsight,
  getSeries,
  listCandidates,
  listKnocking,
  listSiteTraffic,
  listSourceEffects,
} from '../../src/api/insight.ts';
import type { Services } from '../../src/http/services.ts';
import { defaultLimits } from '../../src/insight/limits.ts';

/** Answers as the examples of the declarations say. */
export function stubInsight(at: string): Services['insight'] {
  const attack = {
    ...{ id: 7, started_at: at, ended_at: null, peak: 360, usual: 12, denied: 1_080 },
    top_networks: [{ entry: '192.0.2.0/24', denied: 900 }],
    top_sites: [{ site: 'a.example', denied: 880 }],
  };
  return {
    summary: async () => getInsight.examples.day.answer,
    series: async () => getSeries.examples.hour.answer,
    knocking: async () => listKnocking.examples.loudest.answer,
    sourceEffects: async () => listSourceEffects.examples.all.answer,
    siteTraffic: async () => listSiteTraffic.examples.two.answer,
    candidates: async () => listCandidates.examples.one.answer,
    ignore: async (ip_address) => ({ ip_address, ignored_until: at }),
    limits: async () => defaultLimits,
    setLimits: async (limits) => limits,
    metrics: async () => null,
    notHit: async () => ({ blockedBy: at, since: 0 }),
    hitSnapshot: async () => ({
      keys: new Uint8Array(),
      lastHit: new Uint32Array(),
      lastDay: new Uint32Array(),
    }),
    hitsOf: async (entries) => entries.map(() => null),
    deniedInDay: async () => true,
    attack: async () => getAttack.examples.ended.answer,
    attacks: async () => ({ items: [attack] }),
  };
}
