import type { UpstreamRequest } from '../api/upstreams.ts';
import { parseUpstream } from '../domain/upstream.ts';
import { upstreamPresets } from '../domain/upstream-presets.ts';
import { codes } from '../errors/catalogue.ts';
import type { FieldError } from '../errors/service-error.ts';
import type { WantedUpstream } from '../upstreams/upstreams.ts';
import { rejectedFields } from './rejections.ts';

/** Errors: 6050. */
export function readUpstream(name: string, body: UpstreamRequest): WantedUpstream {
  const { preset = null, networks } = body;
  const fields: FieldError[] = [];
  if (preset !== null) {
    for (const member of ['header', 'chain'] as const)
      if (body[member] !== undefined)
        fields.push({ name: member, description: `the preset ${preset} decides it; remove it, or the preset` });
  } else if (networks === undefined) {
    fields.push({ name: 'networks', description: 'required without a preset' });
  }
  const header = preset === null ? body.header : upstreamPresets[preset].header;
  const chain = preset === null ? body.chain : false;
  const parsed = parseUpstream(name, { ...body, networks: networks ?? [], header, chain });
  if (!parsed.ok) fields.push(...parsed.fields);
  if (!parsed.ok || fields.length > 0) throw rejectedFields(fields, codes.InvalidUpstream);
  return { ...parsed.upstream, preset, networks: networks === undefined ? undefined : parsed.upstream.networks };
}
