import { ApiProblem } from '../../../../src/client/client.ts';
import { parseUpstream } from '../../../../src/domain/upstream.ts';
import { type UpstreamHeader, upstreamHeaders } from '../../../../src/domain/upstream-modes.ts';
import { type PresetName, presetNames, upstreamPresets } from '../../../../src/domain/upstream-presets.ts';
import type { Upstream, UpstreamRequest } from '../../api/types.ts';
import { sentence } from '../../parts/problem-alert.tsx';
import { headerNames } from './upstream-words.ts';

/** A header, X-Forwarded-For through further upstreams, or PROXY protocol alone. */
type Naming = UpstreamHeader | 'chain' | 'proxy-protocol';

export interface UpstreamDraft {
  readonly name: string;
  /** Null: an own proxy. */
  readonly preset: PresetName | null;
  /** Separated by blanks, commas or line ends. */
  readonly networks: string;
  readonly naming: Naming;
  readonly proxyProtocol: boolean;
  readonly judgeInvalid: boolean;
  readonly note: string;
}

export function draftOf(upstream: Upstream | null): UpstreamDraft {
  if (upstream === null)
    return {
      name: '',
      preset: null,
      networks: '',
      naming: 'x-forwarded-for',
      proxyProtocol: false,
      judgeInvalid: false,
      note: '',
    };
  const { name, preset, networks, header, chain, proxy_protocol, on_invalid, note } = upstream;
  const known = upstreamHeaders.find((one) => one === header);
  return {
    name,
    preset: presetNames.find((one) => one === preset) ?? null,
    networks: networks.join('\n'),
    naming: known === undefined ? 'proxy-protocol' : chain ? 'chain' : known,
    proxyProtocol: proxy_protocol,
    judgeInvalid: on_invalid === 'judge_upstream',
    note: note ?? '',
  };
}

/** The header of a preset without one of its own, or of an own proxy; null: the preset decides it. */
export function namingsOf(
  preset: PresetName | null,
): readonly { readonly value: Naming; readonly label: string }[] | null {
  if (preset !== null && upstreamPresets[preset].header !== null) return null;
  const headers = upstreamHeaders.map((header) => ({
    value: header,
    label: header === 'x-forwarded-for' ? 'Last address of X-Forwarded-For' : headerNames[header],
  }));
  if (preset !== null) return headers;
  return [
    ...headers,
    { value: 'chain', label: 'X-Forwarded-For, through further upstreams of yours' },
    { value: 'proxy-protocol', label: 'PROXY protocol only' },
  ];
}

/** With the values that the preset brings. */
export function withPreset(draft: UpstreamDraft, preset: PresetName | null): UpstreamDraft {
  const named = draft.name === '' || presetNames.some((name) => name === draft.name);
  return {
    ...draft,
    preset,
    name: named ? (preset ?? '') : draft.name,
    naming: preset === 'fastly' ? 'fastly-client-ip' : draft.naming,
  };
}

export function networksOf(draft: Pick<UpstreamDraft, 'networks'>): string[] {
  return draft.networks.split(/[\s,]+/).filter((text) => text !== '');
}

/** Whether the service has a list of the preset, so that the networks may stay empty. */
export function hasOwnList({ preset }: Pick<UpstreamDraft, 'preset'>): boolean {
  return preset !== null && upstreamPresets[preset].networks.length > 0;
}

type DraftField = 'networks' | 'header' | 'note' | 'name';
export type DraftFaults = Partial<Readonly<Record<DraftField, string>>>;

/** @param before the upstream to edit; null: a new one */
export function faultsOf(draft: UpstreamDraft, before: Upstream | null): DraftFaults {
  const networks = networksOf(draft);
  if (networks.length === 0) {
    return needsNetworks(draft.preset, before) ? { networks: 'Enter at least one address or network.' } : {};
  }
  const parsed = parseUpstream(draft.name, { ...fieldsOf(draft), networks });
  return parsed.ok ? {} : byField(parsed.fields);
}

/** Without networks in the request, an upstream keeps its own, or gets those of its new preset. */
function needsNetworks(preset: UpstreamDraft['preset'], before: Upstream | null): boolean {
  if (before === null) return preset === null;
  if (preset === before.preset) return before.networks.length > 0;
  return preset === null || upstreamPresets[preset].networks.length === 0;
}

/** The request for a draft that `faultsOf` finds nothing in. */
export function requestOf(draft: UpstreamDraft, before: Upstream | null): UpstreamRequest {
  const { preset, note } = draft;
  const networks = networksOf(draft);
  // Sending them would change when they were given.
  const keeps = preset !== null && preset === before?.preset && networks.join() === before.networks.join();
  const { header, chain, proxy_protocol, on_invalid } = fieldsOf(draft);
  return {
    ...(preset === null ? { header, chain } : { preset }),
    ...(preset !== null && upstreamPresets[preset].header === null ? { header } : {}),
    ...(networks.length === 0 || keeps ? {} : { networks }),
    proxy_protocol,
    on_invalid,
    note: note.trim() === '' ? null : note.trim(),
  };
}

function fieldsOf({ preset, naming, proxyProtocol, judgeInvalid, note }: UpstreamDraft) {
  const decided = preset === null ? null : upstreamPresets[preset].header;
  const own = naming === 'proxy-protocol' ? null : naming === 'chain' ? 'x-forwarded-for' : naming;
  const header: UpstreamHeader | null = decided ?? own;
  return {
    header,
    chain: preset === null && naming === 'chain',
    proxy_protocol: proxyProtocol || header === null,
    on_invalid: judgeInvalid && header !== null ? ('judge_upstream' as const) : ('reject' as const),
    note,
  };
}

/** What the service rejected, by field of the form; null: the form lacks a field for some of it. */
export function rejectedFields(error: unknown): DraftFaults | null {
  if (!(error instanceof ApiProblem)) return null;
  if ('taken' in error.problem) return { networks: sentence(error.message) };
  const { errors = [] } = error.problem;
  const shown = errors.length > 0 && errors.every(({ name }) => fieldFor(name) !== undefined);
  return shown ? byField(errors) : null;
}

const fieldOf: Readonly<Record<string, DraftField>> = {
  networks: 'networks',
  header: 'header',
  chain: 'header',
  proxy_protocol: 'header',
  on_invalid: 'header',
  preset: 'header',
  note: 'note',
  name: 'name',
};

/** `networks[3]` is a fault of `networks`. */
function fieldFor(name: string): DraftField | undefined {
  return fieldOf[name.replace(/\[.*$/, '')];
}

/** The first fault of each field. */
function byField(fields: readonly { readonly name: string; readonly description: string }[]): DraftFaults {
  const faults: { -readonly [Field in DraftField]?: string } = {};
  for (const { name, description } of fields) {
    const field = fieldFor(name);
    if (field !== undefined) faults[field] ??= sentence(description);
  }
  return faults;
}
