import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiDocument } from '../../../testkit/http/api-document.ts';
import { stubApp } from '../../../testkit/http/stub-services.ts';
import type { OpenApi } from '../openapi/openapi-types.ts';
import { breakable, html, inline } from './html.ts';
import { curlCommand } from './operations.ts';

let document: OpenApi;
let page: string;
let headers: Record<string, unknown>;
beforeAll(async () => {
  document = await apiDocument();
  const answer = await stubApp().app.inject('/docs');
  ({ body: page, headers } = answer);
});
const all = (pattern: RegExp): string[] => [...page.matchAll(pattern)].map((match) => match[1] as string);

describe('the page of the API', () => {
  it('loads nothing, runs no script and cannot be framed', () => {
    const [style = ''] = all(/<style>([\s\S]*?)<\/style>/g);
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|form|base|svg|video|audio)\b/i);
    expect(page).not.toMatch(/<[^>]+ (src|srcset|style|on\w+)=/i);
    expect(style).not.toMatch(/url\(|@import|@font-face/);
    for (const to of all(/ href="([^"]*)"/g)) expect(to).toMatch(/^(#|\/openapi\.json$)/);
  });

  it('has every operation with its texts, parameters, examples and responses, and every model with its fields', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.length).toBeGreaterThan(30);
    for (const { operationId, summary, responses, requestBody } of operations) {
      const section = page.slice(page.indexOf(`id="${operationId}"`), page.length).split('</section>')[0] as string;
      expect(section).toContain(html`<h3>${summary}</h3>`.text);
      for (const status of Object.keys(responses)) expect(section).toContain(`>${status}</th>`);
      const examples = Object.values(requestBody?.content ?? {}).flatMap((media) =>
        Object.values(media.examples ?? {}),
      );
      for (const example of examples) expect(section).toContain(html`Example: ${inline(example.summary)}`.text);
      expect(section).toContain('<pre><code>curl ');
    }
    for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
      const section = page.slice(page.indexOf(`id="model-${name}"`)).split('</section>')[0] as string;
      for (const field of Object.keys(properties)) expect(section).toContain(`<code>${breakable(field).text}</code>`);
    }
  });

  it('is accessible by screen reader and keyboard', () => {
    const ids = all(/ id="([^"]*)"/g);
    expect(new Set(ids).size).toBe(ids.length);
    for (const to of all(/ href="#([^"]*)"/g)) expect(ids).toContain(to);
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(all(/<(h1)>/g)).toHaveLength(1);
    let level = 2;
    for (const next of all(/<h(\d)\b/g).map(Number)) {
      expect(next).toBeLessThanOrEqual(level + 1);
      level = next;
    }
    expect(page).not.toMatch(/<th>/);
    expect(page.indexOf('href="#content"')).toBeLessThan(page.indexOf('<nav'));
  });
});

describe('a value inserted into a page', () => {
  it('is always escaped', () => {
    const hostile = `<script>alert("1" & '2')</script>`;
    expect(html`<p title="${hostile}">${[hostile, 1]}</p>`.text).not.toMatch(/<script|"1"|'2'/);
    expect(inline(`a \`${hostile}\` b`).text).toBe(
      'a <code>&#60;script&#62;alert(&#34;1&#34; &#38; &#39;2&#39;)&#60;/script&#62;</code> b',
    );
    expect(breakable('/api/<b>').text).toBe('/<wbr>api/<wbr>&#60;b&#62;');
  });

  it('is quoted for the shell in a command', () => {
    const operation = { security: [{ api_key: ['block'] }] } as never;
    const value = { reason: `it's "bad" $HOME \`id\` \\ \n ☂` };
    const request = {
      path: { ip_address: '2001:db8::/32' },
      query: { q: 'a b&c' },
      body: { type: 'application/json', value },
      accept: null,
    };
    const command = curlCommand('PUT', '/api/x/{ip_address}', operation, request);
    const words = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; URL=http://h KEY=k; ${command}`], {
      encoding: 'utf8',
    });
    expect(words.split('\0').slice(0, -1)).toEqual([
      '-X',
      'PUT',
      'http://h/api/x/2001%3Adb8%3A%3A%2F32?q=a+b%26c',
      '-H',
      'Authorization: Bearer k',
      '-H',
      'Content-Type: application/json',
      '--data-binary',
      JSON.stringify(value),
    ]);
  });
});
