import { parsePort, parseServerAddress, parseServerOptions } from '../../../../../src/domain/site.ts';
import type { Server, ServerOptions, ServerRequest } from '../../../api/types.ts';

export interface ServerDraft {
  readonly id: number;
  readonly address: string;
  readonly port: string;
  readonly weight: string;
  readonly maxConnections: string;
  readonly backup: boolean;
  readonly check: boolean;
  readonly ssl: 'none' | 'verify' | 'insecure';
}

type DraftFaults = Partial<Readonly<Record<'address' | 'port' | 'weight' | 'maxConnections', string>>>;

export function emptyDraft(id: number): ServerDraft {
  return { id, address: '', port: '80', weight: '', maxConnections: '', backup: false, check: true, ssl: 'none' };
}

export function draftOf({ address, port, options = {} }: Server, id: number): ServerDraft {
  return {
    id,
    address,
    port: String(port),
    weight: options.weight === undefined ? '' : String(options.weight),
    maxConnections: options.max_connections === undefined ? '' : String(options.max_connections),
    backup: options.backup ?? false,
    check: options.check ?? true,
    ssl: options.ssl ?? 'none',
  };
}

export function requestOf(draft: ServerDraft): ServerRequest {
  const options: ServerOptions = {
    check: draft.check,
    ...(draft.weight.trim() === '' ? {} : { weight: numberOf(draft.weight) }),
    ...(draft.maxConnections.trim() === '' ? {} : { max_connections: numberOf(draft.maxConnections) }),
    ...(draft.backup ? { backup: true } : {}),
    ...(draft.ssl === 'none' ? {} : { ssl: draft.ssl }),
  };
  return { address: draft.address.trim(), port: numberOf(draft.port), options };
}

export function faultsOf(draft: ServerDraft): DraftFaults {
  const faults: { -readonly [Name in keyof DraftFaults]: string } = {};
  const address = parseServerAddress(draft.address.trim());
  if (draft.address.trim() !== '' && !address.ok) faults.address = address.why;
  const port = parsePort(numberOf(draft.port));
  if (draft.port.trim() !== '' && !port.ok) faults.port = port.why;
  const { weight, max_connections: maxConnections } = requestOf(draft).options ?? {};
  const weightOption = parseServerOptions(weight === undefined ? {} : { weight });
  if (!weightOption.ok) faults.weight = labelled(weightOption.why, 'weight', 'Weight');
  const limitOption = parseServerOptions(maxConnections === undefined ? {} : { max_connections: maxConnections });
  if (!limitOption.ok) faults.maxConnections = labelled(limitOption.why, 'max_connections', 'Max connections');
  return faults;
}

/** Replaces the API's name of the field by its label. */
function labelled(why: string, name: string, label: string): string {
  return why.replace(new RegExp(`^(the server option )?${name}`, 'i'), label);
}

export function isComplete(draft: ServerDraft): boolean {
  return draft.address.trim() !== '' && draft.port.trim() !== '' && Object.keys(faultsOf(draft)).length === 0;
}

/** NaN unless only digits: `1e3` and `0x50` are typing errors here. */
function numberOf(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
}
