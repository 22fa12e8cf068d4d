import { describe, expect, test } from 'vitest';
import { grants, scopes } from './scope.ts';

describe('a scope', () => {
  test.each([
    ['read', ['read']],
    ['block', ['read', 'block']],
    ['admin', ['read', 'block', 'admin']],
  ])('the scope %s grants exactly %j', (held, given) => {
    expect(scopes.filter((needed) => grants([held], needed))).toEqual(given);
  });

  test.each([[[]], [['']], [['Admin']], [['admin ']], [['administrator']], [['*']]])(
    'the scopes %j grant nothing',
    (held) => {
      expect(scopes.filter((needed) => grants(held, needed))).toEqual([]);
    },
  );

  test('the greatest of several scopes counts, in any order', () => {
    expect(grants(['block', 'read'], 'block')).toBe(true);
    expect(grants(['read', 'block'], 'block')).toBe(true);
    expect(grants(['read', 'nonsense'], 'block')).toBe(false);
  });
});
