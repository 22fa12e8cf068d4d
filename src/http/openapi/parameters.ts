// What stands in a path or a query, by its name.

export interface ParameterDoc {
  readonly description: string;
  readonly example: string | number | boolean;
  /** What the route's schema leaves to a parser of its own. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

export const parameters: Readonly<Record<string, ParameterDoc>> = {
  backup: { description: 'The id of a backup.', example: '20261121T201500123Z-0a1b2c3d' },
  ip_address: {
    description:
      'An IP address or network in any spelling that the one parser of addresses takes. The slash of a network is `%2F`.',
    example: '203.0.113.7',
    schema: { minLength: 2, maxLength: 256 },
  },
  domain: {
    description: 'The host name of the site, without scheme and port. Upper case is read as lower case.',
    example: 'shop.example.com',
    schema: { minLength: 1, maxLength: 256 },
  },
  id: { description: 'The id, as a list gave it.', example: '20261120T124300123Z-1a2b3c4d' },
  name: { description: 'The name of the key.', example: 'fail2ban' },
  limit: { description: 'At most how many a page has.', example: 100 },
  cursor: {
    description: '`next_cursor` of the page before; absent for the first page.',
    example: 'AQAAAAAAAAAAAAD__8sAcQeA',
  },
  q: {
    description:
      'Only entries that are this address or network, that begin with it, or that contain it; of a part of an address also networks that cover everything that begins with it.',
    example: '203.0.113.',
  },
  text: {
    description:
      'Only entries whose `reason` or `blocked_by` has this in it, in upper or lower case, of any script; no character stands for others. Excludes `q`.',
    example: 'scan',
  },
  offset: {
    description:
      'Pass over so many entries, after `cursor` or from the beginning. So a far page is one request; where entries come and go, pages that follow each other go by `cursor`.',
    example: 500_000,
  },
  expiring: { description: 'Only entries that will expire by themselves.', example: true },
  allow_shrink: {
    description:
      'Without it, a set is refused (409, 6006) that would take away more than half of 100 entries or more, or that names no address at all while entries exist.',
    example: true,
  },
  allow_wide: {
    description:
      'Takes networks wider than /8 (IPv6: /16) and whole special ranges, such as 10.0.0.0/8. Needs the scope `admin`.',
    example: true,
  },
  dry_run: { description: 'Counts what the request would do now, and changes nothing.', example: true },
  accept_map_file: {
    description:
      'Rewrites the map file although it is newer than the database or belongs to another one, or more than half of it would go. Needs the scope `admin`.',
    example: false,
  },
  replace_configuration: {
    description:
      'Without it, a live configuration that was written or edited by hand, or restored from a backup, is not replaced (409, 6020).',
    example: true,
  },
  operation: { description: 'Only this operation.', example: 'unblock' },
  key: { description: 'Only what this key did, by its name.', example: 'fail2ban' },
  since: { description: 'Only from then on.', example: '2026-11-20T00:00:00Z' },
  until: { description: 'Only before then.', example: '2026-11-21T00:00:00Z' },
  types: { description: 'Only these types of events.', example: 'entry.blocked,entry.unblocked' },
  last_event_id: {
    description: 'Go on after this event. The header `Last-Event-ID`, which wins, says the same.',
    example: '5f0c1a9be0d2-17',
  },
};
