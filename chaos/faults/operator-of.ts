import type { Stack } from '../fault.ts';
import type { Operator } from '../operator.ts';

/** Of a stack that has one. */
export function operatorOf({ operator }: Stack): Operator {
  if (operator === null) throw new Error('this stack has no operator: --attached');
  return operator;
}
