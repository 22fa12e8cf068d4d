// Records what `attach` created, so that `detach` removes exactly that.
import { createHash } from 'node:crypto';
import type { Host } from './host.ts';

export const recordFile = '/etc/proxy-manager/attach.json';

export interface AttachRecord {
  /** Written files, with the SHA-256 of their content. */
  readonly files: Readonly<Record<string, string>>;
  /** Lists that were imported once. */
  readonly imported: readonly string[];
  /** What HAProxy was started with by `-f`: files and folders. Absent in older records. */
  readonly configuration?: readonly string[];
}

export const nothingMade: AttachRecord = { files: {}, imported: [] };

export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** @throws Error that names the file when it is damaged: nothing is guessed */
export async function readRecord(host: Host): Promise<AttachRecord> {
  const text = await host.readText(recordFile);
  if (text === null) return nothingMade;
  const damaged = (cause?: unknown) =>
    new Error(`${recordFile} is damaged, so what attach created is unknown: repair it, or remove it to start over`, {
      cause,
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw damaged(cause);
  }
  if (!isRecord(parsed)) throw damaged();
  return parsed;
}

export async function writeRecord(host: Host, record: AttachRecord): Promise<void> {
  await host.writeText(recordFile, `${JSON.stringify(record, null, 2)}\n`, 0o644);
}

function isRecord(value: unknown): value is AttachRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { files, imported, configuration = [] } = value as Partial<Record<keyof AttachRecord, unknown>>;
  const isText = (one: unknown): boolean => typeof one === 'string';
  return (
    typeof files === 'object' &&
    files !== null &&
    Object.values(files).every(isText) &&
    Array.isArray(imported) &&
    imported.every(isText) &&
    Array.isArray(configuration) &&
    configuration.every(isText)
  );
}
