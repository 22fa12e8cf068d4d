import { counted } from '../../../../src/domain/counted.ts';
import type { Certificate, CertificateRemoved } from '../../api/types.ts';
import type { Tone } from '../../parts/state-mark.tsx';

interface Words {
  readonly tone: Tone;
  readonly words: string;
}

type Served = Pick<
  Certificate,
  'state' | 'served_until' | 'not_after' | 'runtime_updated' | 'handshake' | 'handshake_reason' | 'problem'
>;

const soonMs = 14 * 86_400_000;

/** What clients get. @param now of the service, in milliseconds */
export function servedWords(certificate: Served, now: number): Words {
  const fault = notServedWords(certificate);
  if (fault !== null) return fault;
  if (Date.parse(certificate.not_after) - now < soonMs) return { tone: 'warn', words: 'Served, expires soon' };
  return { tone: 'good', words: 'Served' };
}

/** Null: clients get it. */
export function notServedWords(certificate: Served): Words | null {
  const { state, served_until: served, not_after: end, runtime_updated: updated, handshake } = certificate;
  if (state === 'expired') return { tone: 'bad', words: 'Expired' };
  if (certificate.problem !== null && updated !== true) return { tone: 'bad', words: 'Not installed' };
  if (updated === null) return { tone: 'unknown', words: 'Not checked yet' };
  if (served !== null && served !== end) return { tone: 'bad', words: 'An earlier version is served' };
  if (!updated) return { tone: 'bad', words: 'Not served by every worker' };
  if (handshake === 'other' || handshake === 'failed')
    return { tone: 'warn', words: 'In every worker, but a connection does not get it' };
  return null;
}

/** A worker, as part of a list. */
export function workerWords({ pid, role, holds, reason }: Certificate['workers'][number]): Words {
  if (holds) return { tone: 'good', words: `${roleName(role)} ${pid} holds it` };
  const words = `${roleName(role)} ${pid} does not hold it${reason === null ? '' : `: ${reason}`}`;
  return { tone: role === 'current' ? 'bad' : 'warn', words };
}

function roleName(role: 'current' | 'draining'): string {
  return role === 'current' ? 'Worker' : 'Draining worker';
}

/** What else an operator should know, one sentence each. */
export function noteWords(certificate: Certificate): readonly string[] {
  const { handshake, handshake_reason: why, files, reload_scheduled: scheduled, problem, warnings } = certificate;
  return [
    ...(problem === null ? [] : [problem]),
    ...(files === 'pending' ? ['The file could not be written; the service retries.'] : []),
    ...(scheduled ? ['A reload is scheduled.'] : []),
    ...(handshake === null || handshake === 'seen'
      ? []
      : [`TLS connection of the service: ${handshake}${why === null ? '' : `, ${why}`}`]),
    ...warnings,
  ];
}

/** `RSA, 2048 bits`. */
export function keyWords({ key_type: type, key_bits: bits }: Pick<Certificate, 'key_type' | 'key_bits'>): string {
  return bits === null ? type : `${type}, ${bits} bits`;
}

/** After an upload. */
export function resultWords(certificate: Certificate, now: number): Words {
  const { tone, words } = servedWords(certificate, now);
  const notes = noteWords(certificate);
  return {
    tone: tone === 'good' && notes.length > 0 ? 'warn' : tone,
    words: [`${words}.`, ...notes.map((note) => (/[.!?]$/.test(note) ? note : `${note}.`))].join(' '),
  };
}

export function removedWords(removed: CertificateRemoved): Words {
  const { sites_total: sites, runtime_updated: updated, kept_files: keptFiles } = removed;
  const lost = sites === 0 ? '' : ` ${counted(sites, 'site')} without a certificate now.`;
  const kept = keptFiles.length === 0 ? '' : ` Not deleted, may be the only copy of a key: ${keptFiles.join(', ')}.`;
  const isDone = updated === true;
  const workers = isDone
    ? 'No current worker serves it.'
    : 'Not verified in every current worker yet; the service retries.';
  const isGood = isDone && sites === 0 && keptFiles.length === 0;
  return { tone: isGood ? 'good' : 'warn', words: `${workers}${lost}${kept}` };
}
