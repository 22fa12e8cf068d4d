import { describe, expect, test } from 'vitest';
import { grants, scopes } from './scope.ts';

describe('a scope', () => {
  test.each([
    ['read', ['read']],
    ['block', ['read', 'block']],
    ['admin', ['read', 'block', 'admin']],
  ])('%s gives %j and nothing more', (held, given) => {
    expect(scopes.filter((needed) => grants([held], needed))).toEqual(given);
  });

  test.each([[[]], [['']], [['Admin']], [['admin ']], [['administrator']], [['*']]])('%j gives nothing', (held) => {
    expect(scopes.filter((needed) => grants(held, needed))).toEqual([]);
  });

  test('beside another the greater one counts, in whatever order', () => {
    expect(grants(['block', 'read'], 'block')).toBe(true);
    expect(grants(['read', 'block'], 'block')).toBe(true);
    expect(grants(['read', 'nonsense'], 'block')).toBe(false);
  });
});
