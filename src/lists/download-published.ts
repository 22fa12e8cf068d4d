// Downloads the networks that a CDN publishes, over https only, also behind redirects.
import { count } from '../domain/counted.ts';

const downloadMs = 60_000;
const maxBytes = 1_000_000;
const maxRedirects = 5;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** @throws Error */
export async function downloadPublished(url: string, request: Fetch = fetch): Promise<string> {
  const signal = AbortSignal.timeout(downloadMs);
  let at = url;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    if (new URL(at).protocol !== 'https:') throw new Error('it redirects to a URL that is not https');
    // Followed by hand: a detour through http in the middle would be as easy to forge as one at the end.
    const response = await request(at, { signal, redirect: 'manual' });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      at = new URL(location, at).href;
      continue;
    }
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return await limitedText(response);
  }
  throw new Error(`it redirects more than ${maxRedirects} times`);
}

async function limitedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new Error(`the list is longer than ${count(maxBytes)} bytes; download it and give the file`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
