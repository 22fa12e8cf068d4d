// The built-in template's TLS: what the front end serves, whether a client uses https, redirects and HSTS (ADR 0073).

/** In `global`. */
export const tlsDefaults = `\
{%- if https_bind.size > 0 %}
    # Mozilla's intermediate configuration without DHE. No curves: those that OpenSSL prefers include X25519MLKEM768,
    # where it has that.
    ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets prefer-client-ciphers
    ssl-default-bind-ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
    ssl-default-bind-ciphersuites TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256
    # A certificate is one file: no .key, .ocsp or .issuer beside it is read.
    ssl-load-extra-files none
{%- endif %}`;

/** After the other `bind` lines. */
export const tlsBind = `\
{%- if https_bind.size > 0 %}
{%- assign v6only = '' %}
{%- for bind in https_bind %}
{%- assign ipv4 = bind | remove_first: '[::]' %}
{%- if bind != ipv4 and https_bind contains ipv4 %}{% assign v6only = ' v6only' %}{% endif %}
{%- endfor %}
    # One line for all addresses: HAProxy loads every certificate once for each line.
    bind {{ https_bind | join: ',' }}{{ v6only }} ssl crt {{ tls_default }} crt-list {{ tls_list }}{% if tls_strict_sni %} strict-sni{% endif %} alpn h2,http/1.1
{%- endif %}`;

// Of a peer that is no upstream these headers were removed before. Traefik sends wss for WebSockets.
const upstreamSaysHttps =
  '{ req.hdr(x-forwarded-proto,-1) -m str -i https wss } or { fc_rcvd_proxy } { dst_port {{ https_public_port }} }';

/** After the site is known: redirects, HSTS and what servers receive depend on this variable alone. */
export const httpsSeen = `\

    # Whether the client used https.
    http-request set-var(txn.https_seen) ssl_fc
{%- if has_upstreams %}
    # To an upstream, which says so in X-Forwarded-Proto, or by the port in PROXY protocol.
    http-request set-var(txn.https_seen) bool(true) if ${upstreamSaysHttps}
{%- endif %}`;

const location = `https://%[var(txn.host)]{% if https_public_port != 443 %}:{{ https_public_port }}{% endif %}%[pathq]`;
/** `OPTIONS *` has no path, and no client follows a redirect of it. */
const redirects = '!{ var(txn.https_seen) -m bool } { path_beg / } { var(txn.https),field(1,:) -m str redirect }';

const hsts = (scope: string, directives: string) =>
  `http-after-response set-header Strict-Transport-Security "max-age=%[var(txn.https),field(2,:)]${directives}" if { var(txn.https_seen) -m bool } { var(txn.https),field(3,:) -m str ${scope} }`;

/** After `httpsSeen`, before what servers receive. */
export const redirectAndHsts = `\
{%- if https_bind.size > 0 %}

    # What the site has: "redirect" or "off", and if it has HSTS, its max-age and scope ("redirect:31536000:sub"). The
    # location has the name alone: "redirect scheme https" would keep the port of the Host.
    http-request set-var(txn.https) var(txn.host),map_str({{ https_sites_map }})
    http-request set-var(txn.https) 'var(txn.host),regsub("^[a-z0-9_-]+[.]","*."),map_str({{ https_sites_map }})' if !{ var(txn.https) -m found }
    http-request redirect code 301 location ${location} if ${redirects} METH_GET
    http-request redirect code 308 location ${location} if ${redirects}
    ${hsts('only', '')}
    ${hsts('sub', '; includeSubDomains')}
    ${hsts('preload', '; includeSubDomains; preload')}
{%- endif %}`;

/** What servers receive. */
export const forwardedProto = 'http-request set-header X-Forwarded-Proto %[var(txn.https_seen),iif(https,http)]';
