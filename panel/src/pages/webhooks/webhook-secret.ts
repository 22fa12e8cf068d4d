/** A secret as the Standard Webhooks specification has it: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}
