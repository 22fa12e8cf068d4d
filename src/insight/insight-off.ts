import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { InsightService } from './insight-service.ts';

/** What the API needs. */
export type InsightFigures = Pick<
  InsightService,
  | 'summary'
  | 'series'
  | 'knocking'
  | 'sourceEffects'
  | 'siteTraffic'
  | 'candidates'
  | 'ignore'
  | 'limits'
  | 'setLimits'
  | 'attacks'
  | 'attack'
  | 'metrics'
  | 'notHit'
  | 'hitSnapshot'
  | 'hitsOf'
  | 'deniedInDay'
>;

const off = async (): Promise<never> => {
  throw new ServiceError(codes.InsightOff, 'insight', 'denied requests are not counted: PROXY_MANAGER_INSIGHT is off');
};

/** Errors: 7010. */
export const insightOff: InsightFigures = {
  summary: off,
  series: off,
  knocking: off,
  sourceEffects: off,
  siteTraffic: off,
  candidates: off,
  ignore: off,
  limits: off,
  setLimits: off,
  attacks: off,
  attack: off,
  metrics: async () => null,
  notHit: off,
  hitSnapshot: off,
  hitsOf: async (entries) => entries.map(() => null),
  deniedInDay: off,
};
