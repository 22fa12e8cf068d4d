import type { UpstreamRequest } from '../api/upstreams.ts';
import { parseUpstream } from '../domain/upstream.ts';
import { type PresetName, upstreamPresets } from '../domain/upstream-presets.ts';
import { codes } from '../errors/catalogue.ts';
import type { FieldError } from '../errors/service-error.ts';
import type { WantedUpstream } from '../upstreams/upstreams.ts';
import { rejectedFields } from './rejections.ts';

/** Errors: 109. */
export function readUpstream(name: string, body: UpstreamRequest): WantedUpstream {
  const { preset = null, networks } = body;
  const fields: FieldError[] = [];
  if (preset !== null) {
    fields.push(...presetProblems(preset, body));
  } else if (networks === undefined) {
    fields.push({ name: 'networks', description: 'required without a preset' });
  }
  const header = preset === null ? body.header : (upstreamPresets[preset].header ?? body.header);
  const chain = preset === null ? body.chain : false;
  const parsed = parseUpstream(name, { ...body, networks: networks ?? [], header, chain });
  if (!parsed.ok)
    fields.push(...parsed.fields.filter(({ name: field }) => !fields.some((known) => known.name === field)));
  if (!parsed.ok || fields.length > 0) throw rejectedFields(fields, codes.InvalidUpstream);
  return { ...parsed.upstream, preset, networks: networks === undefined ? undefined : parsed.upstream.networks };
}

function presetProblems(preset: PresetName, body: UpstreamRequest): FieldError[] {
  const decided = (name: 'header' | 'chain') => ({
    name,
    description: `the preset ${preset} decides it; remove it, or the preset`,
  });
  const fields = body.chain === undefined ? [] : [decided('chain')];
  if (upstreamPresets[preset].header !== null)
    return body.header === undefined ? fields : [decided('header'), ...fields];
  if (body.header == null)
    fields.push({
      name: 'header',
      description: `required with the preset ${preset}: this CDN passes on the headers that name the client as its client sent them, so set one in its own code first (docs/upstreams.md), then name it here`,
    });
  return fields;
}
