// The page's policy takes no style sheet that is not ours; the few that components make while they run carry the nonce
// of this very answer.

/** The nonce; also told to `get-nonce`, which the scroll lock of dialogs asks. */
export function styleNonce(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  (globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;
  return nonce;
}
