// The Content-Security-Policy allows styles that components create at run time only with this response's nonce.

/** Also sets the global that `get-nonce` reads, for the scroll lock of dialogs. */
export function styleNonce(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  (globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;
  return nonce;
}
