import type { RuntimeReport } from '../api/changes.ts';
import type { Claim } from '../api/sources.ts';
import type { IpEntry } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { NamedSource } from './sources.ts';

export function claimedByLists({ text }: IpEntry, claims: readonly Claim[]): ServiceError {
  const lists = claims.map(({ source }) => source).join(', ');
  const detail = `${text} is blocked by ${lists} only, which an unblock does not change; to allow it for a time, send trust_for, such as 7d, with an admin key`;
  return new ServiceError(codes.ClaimedByList, 'unblock', detail, { members: { still_claimed_by: claims } });
}

export function droppedFromList({ name }: NamedSource): ServiceError {
  const detail = `${name} is a list: what is dropped from it would come back when it is sent again; to allow an address, trust it`;
  return new ServiceError(codes.ClaimedByList, 'unblock', detail, { members: { still_claimed_by: [] } });
}

export function nothingToDrop(
  { text }: IpEntry,
  source: NamedSource | undefined,
  found: {
    readonly covering: readonly string[];
    readonly still: { readonly still_claimed_by?: readonly Claim[] };
    readonly stray: boolean;
    readonly report: RuntimeReport;
  },
): ServiceError {
  const { covering, still, stray, report } = found;
  const what = source === undefined ? 'entry of its own' : `claim of ${source.name}`;
  const next =
    covering.length > 0 ? `; to unblock it, unblock ${covering.join(', ')}, or trust it` : ', so nothing was unblocked';
  const removed = stray ? '; a foreign entry for it was removed from the running map' : '';
  return new ServiceError(codes.NotFound, 'unblock', `${text} has no ${what}${next}${removed}`, {
    members: { covered_by: covering, ...still, stray_removed: stray, ...report },
  });
}
