// What a new installation needs, in this order.

export interface FirstStep {
  readonly name: string;
  readonly about: string;
  readonly to: '/sites' | '/blocked' | '/sources' | '/keys' | '/trusted';
  /** Null: not known yet. */
  readonly done: boolean | null;
}

interface Known {
  /** Null: sites are not managed here. */
  readonly sites: number | null | undefined;
  readonly entries: number | undefined;
  readonly lists: number | undefined;
  readonly keys: number | undefined;
  readonly trusted: number | undefined;
}

export function firstSteps({ sites, entries, lists, keys, trusted }: Known): readonly FirstStep[] {
  const some = (count: number | undefined, least = 1): boolean | null => (count === undefined ? null : count >= least);
  return [
    ...(sites === null
      ? []
      : [
          {
            name: 'Add a site',
            about: 'HAProxy serves it at once.',
            to: '/sites' as const,
            done: some(sites),
          },
        ]),
    {
      name: 'Block an address',
      about: 'Take one of your own, and see that it gets 403.',
      to: '/blocked',
      done: some(entries),
    },
    {
      name: 'Trust your own address',
      about: 'No block can lock you out then.',
      to: '/trusted',
      done: some(trusted),
    },
    {
      name: 'Create a key for fail2ban',
      about: 'Bound to a source, so that its claims are its own.',
      to: '/keys',
      done: some(keys, 2),
    },
    {
      name: 'Add a list',
      about: 'Import one, or send it with a key: see the sources.',
      to: '/sources',
      done: some(lists),
    },
  ];
}
