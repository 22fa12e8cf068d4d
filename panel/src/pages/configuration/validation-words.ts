import type { ValidationAnswer } from '../../api/types.ts';

/** A valid configuration with warnings is not shown as good. */
export function validationWords({ valid, output }: Pick<ValidationAnswer, 'valid' | 'output'>): {
  readonly color: 'green' | 'orange' | 'red';
  readonly title: string;
} {
  if (!valid) return { color: 'red', title: 'Configuration is invalid' };
  return /\[WARNING\]/.test(output)
    ? { color: 'orange', title: 'Configuration is valid, with warnings' }
    : { color: 'green', title: 'Configuration is valid' };
}
