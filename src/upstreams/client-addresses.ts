// Which address HAProxy judges for a request, and why: the walk of the template's rules over the stored upstreams.
import type { ClientAddressAnswer } from '../api/client-address.ts';
import type { AddressChecker } from '../blocking/address-checker.ts';
import type { UpstreamSet } from '../blocking/upstream-set.ts';
import { isTooLarge, type RequestHeaders, verdictOn, walkToClient } from '../domain/client-address.ts';
import type { IpEntry } from '../domain/ip.ts';

interface ClientAddressesDeps {
  readonly upstreams: Pick<UpstreamSet, 'entries' | 'modeOf' | 'effect'>;
  readonly checker: Pick<AddressChecker, 'deciding'>;
  /** Of the running version. */
  readonly largeHeadersStatus: () => 400 | 431;
}

export class ClientAddresses {
  readonly #deps: ClientAddressesDeps;

  constructor(deps: ClientAddressesDeps) {
    this.#deps = deps;
  }

  /** @param peer one address, the client of the connection or what it named in a PROXY protocol header */
  async explain(peer: IpEntry, headers: RequestHeaders): Promise<ClientAddressAnswer> {
    const { upstreams, checker } = this.#deps;
    const { inForce, reason, anywhere } = await upstreams.effect();
    const effect = { upstreams_in_force: inForce, upstreams_reason: reason };
    if (isTooLarge(headers)) {
      return {
        client: null,
        steps: [],
        upstream: null,
        verdict: 'too_large',
        by: null,
        status: this.#deps.largeHeadersStatus(),
        ...effect,
      };
    }
    const walk = walkToClient(peer, headers, (address) => (anywhere ? upstreams.modeOf(address) : 0));
    const { trustedBy, blockedBy } = await checker.deciding(walk.client);
    const found = verdictOn(walk, { isBlocked: () => blockedBy !== null, isTrusted: () => trustedBy !== null });
    const { client, verdict, status } = found;
    const steps = found.steps.map(({ address, header, upstream }) => ({
      address: address.text,
      header,
      upstream: upstream === null ? null : (upstreams.entries.of(address)?.name ?? null),
    }));
    return {
      client: client?.text ?? null,
      steps,
      upstream: steps[0]?.upstream ?? null,
      verdict,
      by: verdict === 'blocked' ? blockedBy : verdict === 'trusted' ? trustedBy : null,
      status,
      ...effect,
    };
  }
}
