// http-01 (RFC 8555, 8.3): HAProxy answers the challenges of open orders itself (ADR 0085).

/** Before all other rules of requests, so that it answers blocked addresses too. */
export function challengeLine(map: string): string {
  return `http-request return status 200 content-type text/plain hdr Cache-Control no-store lf-string "%[path,map_str(${map})]" if METH_GET { path_beg /.well-known/acme-challenge/ } { path,map_str(${map}) -m found }`;
}

export const challengeRule = `\
{%- if https_bind.size > 0 %}
    # A certificate authority checks here that it is this server. It may be in a blocked network, and follows no
    # redirect. The map has the challenges of open orders; without one, it is empty.
    ${challengeLine('{{ acme_challenges_map }}')}
{%- endif %}`;
