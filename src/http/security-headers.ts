/**
 * On every answer. An answer of the API is data: nothing may run, frame, keep or embed it. No origin is let in (no
 * `Access-Control-*`), no cookie is set, and nothing says which program answers.
 */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}
