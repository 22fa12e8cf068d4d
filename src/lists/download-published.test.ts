import { expect, it } from 'vitest';
import { downloadPublished } from './download-published.ts';

/** Each URL once; the real fetch would need a certificate that it trusts. */
const web = (pages: Record<string, () => Response>) => {
  const asked: string[] = [];
  const request = async (url: string, { redirect }: RequestInit) => {
    asked.push(url);
    expect(redirect).toBe('manual');
    return pages[url]!();
  };
  return { asked, request };
};
const to = (location: string) => () => new Response(null, { status: 302, headers: { location } });

it('follows redirects to https', async () => {
  const { request } = web({
    'https://a.example/list': to('/other'),
    'https://a.example/other': () => new Response('192.0.2.0/24'),
  });
  expect(await downloadPublished('https://a.example/list', request)).toBe('192.0.2.0/24');
});

it('rejects a redirect to http without following it', async () => {
  const { asked, request } = web({
    'https://a.example/': to('http://b.example/'),
    'http://b.example/': () => new Response('0.0.0.0/0'),
  });
  await expect(downloadPublished('https://a.example/', request)).rejects.toThrow('not https');
  expect(asked).toEqual(['https://a.example/']);
});

it('rejects endless redirects', async () => {
  const { request } = web({ 'https://a.example/': to('/') });
  await expect(downloadPublished('https://a.example/', request)).rejects.toThrow('more than 5 times');
});

it('rejects a list of more than 1 MB', async () => {
  const { request } = web({
    'https://a.example/': () => new Response('x'.repeat(1_000_001)),
    'https://b.example/': () => new Response('x'.repeat(1_000_000)),
  });
  await expect(downloadPublished('https://a.example/', request)).rejects.toThrow('longer than 1,000,000 bytes');
  expect(await downloadPublished('https://b.example/', request)).toHaveLength(1_000_000);
});

it('rejects a failed response', async () => {
  const { request } = web({ 'https://a.example/': () => new Response('', { status: 503 }) });
  await expect(downloadPublished('https://a.example/', request)).rejects.toThrow('answered 503');
});
