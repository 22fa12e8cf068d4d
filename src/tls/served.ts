import type { Installation } from './installation.ts';

/** Whether visitors get it, as far as that can be known: a reload keeps it, and no handshake showed another one. */
export function isServed(installation: Installation | null): boolean {
  if (installation === null || !installation.runtimeUpdated || installation.files !== 'durable') return false;
  return installation.handshake === 'seen' || installation.handshake === 'not possible';
}
