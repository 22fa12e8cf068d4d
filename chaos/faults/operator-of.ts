import type { Stack } from '../fault.ts';
import type { Operator } from '../operator.ts';

export function operatorOf({ operator }: Stack): Operator {
  if (operator === null) throw new Error('this stack has no operator: --attached');
  return operator;
}
