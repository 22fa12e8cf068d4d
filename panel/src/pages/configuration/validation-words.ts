import type { ValidationAnswer } from '../../api/types.ts';

/** A valid configuration with warnings is not shown as good. */
export function validationWords({ valid, warnings }: Pick<ValidationAnswer, 'valid' | 'warnings'>): {
  readonly color: 'green' | 'orange' | 'red';
  readonly title: string;
} {
  if (!valid) return { color: 'red', title: 'Configuration is invalid' };
  return warnings.length > 0
    ? { color: 'orange', title: 'Configuration is valid, with warnings' }
    : { color: 'green', title: 'Configuration is valid' };
}
