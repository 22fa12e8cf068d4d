import type { Scope } from '../../api/types.ts';

export interface ScopeWords {
  readonly scope: Scope;
  readonly title: string;
  readonly may: string;
  readonly for: string;
}

/** From the least to the most (ADR 0024). */
export const scopeWords: readonly ScopeWords[] = [
  {
    scope: 'read',
    title: 'Look',
    may: 'See what is blocked, trusted and served, check an address, and whether blocking is enforced.',
    for: 'For dashboards and monitoring.',
  },
  {
    scope: 'block',
    title: 'Block',
    may: 'That, and block, unblock, and compare the proxy with the database.',
    for: 'For fail2ban and people on call.',
  },
  {
    scope: 'admin',
    title: 'Do everything',
    may: 'That, and change what is trusted, sites, the configuration and keys, and replace the whole list.',
    for: 'For few. Who has it can make more keys.',
  },
];

/** What a key may do at most, in words. */
export function mayWords(scopes: readonly Scope[]): string {
  const most = [...scopeWords].reverse().find(({ scope }) => scopes.includes(scope));
  return most?.title ?? 'Nothing';
}
