import { describe, expect, it } from 'vitest';
import { sampleInput, sampleSites } from '../../../testkit/configuration/template-samples.ts';
import { builtInTemplate } from './builtin-template.ts';
import { renderConfiguration } from './render.ts';
import { startingTemplate } from './starting-template.ts';

describe('the template to start your own from', () => {
  it('renders the same as the built-in template, except the lines that name its origin', async () => {
    const input = { ...sampleInput, sites: sampleSites };
    const [own, builtIn] = await Promise.all(
      [startingTemplate(), builtInTemplate].map((text) => renderConfiguration(text, 'test', input)),
    );
    const [first, second, ...rest] = own!.text.split('\n');
    expect(rest).toEqual(builtIn!.text.split('\n').slice(2));
    expect([first, second].join('\n')).not.toMatch(/built-in/);
    expect(second).toContain('PROXY_MANAGER_TEMPLATE');
  });

  it('says at its top that it is the file to edit, and in its output that the output is not', async () => {
    expect(startingTemplate().split('\n# ', 1)[0]).toMatch(/This is a template .*edit it/);
    const made = await renderConfiguration(startingTemplate(), 'test', sampleInput);
    expect(made.text.split('\n')[0]).toMatch(/^# Generated .* Do not edit/);
    expect(made.text).not.toContain('edit it.');
  });
});
