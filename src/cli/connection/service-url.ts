import { isAbsolute } from 'node:path';
import { quote } from '../../domain/quote.ts';
import { misused } from '../failure.ts';

export const defaultUrl = 'http://127.0.0.1:7080';

export type ServiceAddress =
  | { readonly kind: 'http'; readonly url: string; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly url: string; readonly path: string };

/**
 * `http://HOST:PORT`, `https://HOST:PORT` or `unix:/path`: where the service is, without a path behind it.
 * @param where names the flag or variable in the message
 * @throws Failure (usage)
 */
export function parseServiceUrl(text: string, where: string): ServiceAddress {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length);
    if (!isAbsolute(path) || path.includes('\0')) throw wrong(text, where);
    return { kind: 'unix', url: text, path };
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw wrong(text, where, cause);
  }
  const secure = url.protocol === 'https:';
  const more = url.pathname !== '/' || url.search !== '' || url.hash !== '';
  if ((url.protocol !== 'http:' && !secure) || url.hostname === '' || more) throw wrong(text, where);
  if (url.username !== '' || url.password !== '') {
    throw misused(`${where} may not hold a user or password; the key comes from PROXY_MANAGER_API_KEY_FILE`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { kind: 'http', url: url.origin, host, port };
}

function wrong(text: string, where: string, cause?: unknown): Error {
  // What stands before an @ may be a password.
  const shown = quote(text.replace(/\/\/.*@/s, '//********@'));
  const failure = misused(`${where}: ${shown} is no address of the service; write http://HOST:PORT or unix:/path`);
  if (cause !== undefined) failure.cause = cause;
  return failure;
}
