import { expect, it } from 'vitest';
import { sampleInput } from '../../../testkit/configuration/template-samples.ts';
import type { Site } from '../../domain/site.ts';
import { acceptedRule } from '../rules/blocked-rule.ts';
import { builtInTemplate } from './builtin-template.ts';
import { renderConfiguration } from './render.ts';
import { siteInForce } from './site-in-force.ts';

const servers = [{ address: '192.0.2.1', port: 80 }];
const plain: Site = { domain: 'a.example', servers };
const named: Site = { ...plain, names: ['www.a.example'] };
const wide: Site = { ...plain, names: ['*.a.example'] };
const canonical: Site = { ...named, canonical: 'www.a.example' };
const off: Site = { ...canonical, enabled: false };
const redirect: Site = {
  domain: 'a.example',
  servers: [],
  names: ['*.a.example'],
  redirect: { to: 'https://b.example', status: 301, keep_path: true },
};

const front = `frontend f\n    bind :80\n    ${acceptedRule('{{ blocked_map }}', '{{ trusted_map }}')}\n`;
const backends = `{% for site in sites %}\nbackend {{ site.backend }}\n    server s 192.0.2.1:80\n{% endfor %}\n`;
/** As templates were before sites had names. */
const mapped = `${front}    use_backend %[req.hdr(host),map_str({{ sites_map }})]\n${backends}`;
const looped = `${front}{% for site in sites %}    use_backend {{ site.backend }} if { hdr(host) -i {{ site.domain }} }\n{% endfor %}\n${backends}`;
const handMade = `${front}    use_backend mine if { hdr(host) -i a.example }\n`;

it.each<[string, string, Site, boolean, string[]]>([
  ['the built-in template', builtInTemplate, plain, true, []],
  ['the built-in template', builtInTemplate, canonical, true, []],
  ['the built-in template', builtInTemplate, off, false, []],
  ['the built-in template', builtInTemplate, redirect, true, []],
  ['the built-in template', builtInTemplate, { ...redirect, enabled: false }, false, []],
  ['a template with the map of backends', mapped, plain, true, []],
  ['a template with the map of backends', mapped, named, true, []],
  ['a template with the map of backends', mapped, wide, true, ['names']],
  ['a template with the map of backends', mapped, canonical, true, ['canonical']],
  ['a template with the map of backends', mapped, off, false, []],
  ['a template with the map of backends', mapped, redirect, false, ['redirect']],
  ['a template with the domains alone', looped, plain, true, []],
  ['a template with the domains alone', looped, named, true, ['names']],
  ['a template with the domains alone', looped, off, false, []],
  ['a template that names the domain itself', handMade, plain, true, []],
  ['a template that names the domain itself', handMade, off, true, ['enabled']],
  ['a template without sites', front, plain, false, []],
  ['a template without sites', front, off, false, []],
])('%s: what it applies', async (_, template, site, served, ignored) => {
  const rendered = await renderConfiguration(template, 'the template', { ...sampleInput, sites: [site] });
  expect(siteInForce(rendered, site)).toEqual({ served, ignored });
});
