import type { Installation } from './installation.ts';

/**
 * Why visitors may not get a certificate, as far as that can be known: a reload would not keep it, a worker lacks it, or a
 * handshake showed another one. Null: they get it.
 */
export function whyNotServed(installation: Installation | null): string | null {
  if (installation === null) return 'it was not compared with the workers yet';
  const { files, workers, runtimeUpdated, handshake, handshakeReason } = installation;
  if (files !== 'durable') return 'it is not in its file';
  const lacking = workers.find(({ role, holds }) => role === 'current' && !holds);
  if (lacking !== undefined) return `worker ${lacking.pid}: ${lacking.reason}`;
  if (!runtimeUpdated) return 'no current worker was found';
  return handshake === 'seen' || handshake === 'not possible' ? null : (handshakeReason ?? handshake);
}
