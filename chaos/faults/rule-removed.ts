import { eventually } from '../../testkit/conditions.ts';
import type { Fault } from '../fault.ts';
import { operatorOf } from './operator-of.ts';

/** Includes another fault that stops the service. */
const namedWithinMs = 25_000;

/** The operator removes the rule of one or all front ends for a time. Health must name each. */
export const ruleRemoved: Fault = {
  name: 'rule-removed',
  holds: 'operator',
  excuses: {},
  async strike(stack, random) {
    const operator = operatorOf(stack);
    const without = random.pick([['web'], ['api'], ['mail'], operator.frontEnds.map(({ name }) => name)]);
    const began = performance.now();
    await operator.removeRule(without);
    const loaded = performance.now();
    try {
      await eventually(
        `health names ${without.join(', ')}`,
        async () => {
          const { status, body } = await stack.service.health();
          const reasons = body['reasons'] as string[];
          const isNamed = (name: string): boolean =>
            reasons.some((reason) => reason.startsWith(`front end ${name} (`) && reason.includes(' has no rule '));
          return status === 503 && body['status'] === 'degraded' && without.every(isNamed);
        },
        namedWithinMs,
      );
    } catch (error) {
      await operator.putRuleBack();
      throw error;
    }
    const [reloadMs, namedMs] = [loaded - began, performance.now() - loaded].map(Math.round);
    return {
      detail: `${without.join(', ')}: loaded after ${reloadMs} ms, named by health ${namedMs} ms later`,
      heal: () => operator.putRuleBack(),
    };
  },
};
