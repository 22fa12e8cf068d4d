import type { Scope } from '../../api/types.ts';

interface ScopeWords {
  readonly scope: Scope;
  readonly title: string;
  readonly allows: string;
  readonly purpose: string;
}

export const scopeWords: readonly ScopeWords[] = [
  {
    scope: 'read',
    title: 'Read-only',
    allows: 'View blocked and trusted addresses, sites, events and health, and check addresses.',
    purpose: 'For dashboards and monitoring.',
  },
  {
    scope: 'block',
    title: 'Block and unblock',
    allows: 'Everything above, plus block, unblock and verify entries.',
    purpose: 'For fail2ban and on-call staff.',
  },
  {
    scope: 'admin',
    title: 'Administrator',
    allows:
      'Everything above, plus trusted addresses, sites, configuration, webhooks, keys and replacing the blocked set.',
    purpose: 'Can create more keys.',
  },
];

export function accessLabel(scopes: readonly Scope[]): string {
  const highest = [...scopeWords].reverse().find(({ scope }) => scopes.includes(scope));
  return highest?.title ?? 'None';
}
