// Who claims an address: it is blocked while one of the three does.
import { isCoveredBy } from './addresses.ts';
import { Model, type Proof } from './model.ts';
import { type Naming, networkOf } from './upstreams.ts';

export const sourceNames = { manual: 'manual', agent: 'fail2ban:chaos', list: 'drop' } as const;

export type SourceKind = keyof typeof sourceNames;

export class Claims implements Record<SourceKind, Model> {
  readonly manual = new Model();
  readonly agent = new Model();
  readonly list = new Model();

  get addresses(): string[] {
    return [...new Set([this.manual, this.agent, this.list].flatMap(({ addresses }) => addresses))];
  }

  /** Whether an observation may find the address blocked, and may find it not. */
  mayBe(address: string, from: number, to: number, proof: Proof): { present: boolean; absent: boolean } {
    const claims = [this.manual, this.agent, this.list].map((model) => model.mayBe(address, from, to, proof));
    return { present: claims.some(({ present }) => present), absent: claims.every(({ absent }) => absent) };
  }
}

/** What a client may see that the upstream names, if it is one: without it, it is the upstream's own address. */
export function verdictsThrough(
  context: { readonly claims: Claims; readonly trusted: Model; readonly upstreams: Model },
  name: Naming,
  ip: string,
  from: number,
  to: number,
  proof: Proof,
): Set<number> {
  const upstream = context.upstreams.mayBe(networkOf(name), from, to, proof);
  const verdicts = upstream.present ? verdictsOf(context, ip, from, to, proof) : new Set<number>();
  if (upstream.absent) verdicts.add(200);
  return verdicts;
}

/** What a visitor may see between the two moments. */
export function verdictsOf(
  { claims, trusted }: { readonly claims: Claims; readonly trusted: Model },
  ip: string,
  from: number,
  to: number,
  proof: Proof,
): Set<number> {
  const covering = claims.addresses.filter((entry) => isCoveredBy(ip, entry));
  const entries = covering.map((entry) => claims.mayBe(entry, from, to, proof));
  const trust = trusted.mayBe(ip, from, to, proof);
  const verdicts = new Set<number>();
  if (entries.some(({ present }) => present) && trust.absent) verdicts.add(403);
  if (entries.every((entry) => entry.absent) || trust.present) verdicts.add(200);
  return verdicts;
}
