import { count } from '../../../../src/domain/counted.ts';
import { noBreak, withUnit } from '../../parts/figures.ts';

/** The count at which the error of an estimate is named. */
const shownCount = 10_000;

/** @param oneIn so many requests stand for one that is counted */
export function estimateText(oneIn: number): string {
  // Of a binomial sample, within which 95 % of the estimates are.
  const error = 1.96 * Math.sqrt((oneIn - 1) / shownCount);
  return `Estimated from 1 in ${oneIn} requests: ±${noBreak}${withUnit(Math.ceil(error * 100), '%')} at ${count(shownCount)} requests (${withUnit(95, '%')}), more at fewer.`;
}
