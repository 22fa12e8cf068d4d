import { isAbsolute } from 'node:path';
import { quote } from '../../domain/quote.ts';
import { usageError } from '../failure.ts';

export const defaultUrl = 'http://127.0.0.1:7080';

export type ServiceAddress =
  | { readonly kind: 'http'; readonly url: string; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly url: string; readonly path: string };

/**
 * @param where the flag or variable, for messages
 * @throws Failure (usage)
 */
export function parseServiceUrl(text: string, where: string): ServiceAddress {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length);
    if (!isAbsolute(path) || path.includes('\0')) throw invalidUrl(text, where);
    return { kind: 'unix', url: text, path };
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw invalidUrl(text, where, cause);
  }
  const secure = url.protocol === 'https:';
  const hasMore = url.pathname !== '/' || url.search !== '' || url.hash !== '';
  if ((url.protocol !== 'http:' && !secure) || url.hostname === '' || hasMore) throw invalidUrl(text, where);
  if (url.username !== '' || url.password !== '') {
    throw usageError(`${where} must not contain a user or password; give the key in PROXY_MANAGER_API_KEY_FILE`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { kind: 'http', url: url.origin, host, port };
}

function invalidUrl(text: string, where: string, cause?: unknown): Error {
  // The text before an @ may be a password.
  const shown = quote(text.replace(/\/\/.*@/s, '//********@'));
  const failure = usageError(
    `${where}: ${shown} is not an address of the service; write http://HOST:PORT or unix:/path`,
  );
  if (cause !== undefined) failure.cause = cause;
  return failure;
}
