import type { ValidationAnswer } from '../../api/types.ts';

/** What came of a validation. A warning is no reason to refuse, and no reason to be green. */
export function validationWords({ valid, output }: Pick<ValidationAnswer, 'valid' | 'output'>): {
  readonly color: 'green' | 'orange' | 'red';
  readonly title: string;
} {
  if (!valid) return { color: 'red', title: 'A reload would be refused' };
  return /\[WARNING\]/.test(output)
    ? { color: 'orange', title: 'HAProxy takes it, with warnings' }
    : { color: 'green', title: 'HAProxy takes it' };
}
