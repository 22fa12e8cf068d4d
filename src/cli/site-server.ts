// A server of a site as it is typed: `HOST:PORT`, `[IPV6]:PORT`, and options behind commas.

import type { ServerRequest } from '../api/sites.ts';
import { quote } from '../domain/quote.ts';
import { misused } from './failure.ts';

const form = 'HOST:PORT[,weight=N][,backup][,max_connections=N][,check=false][,ssl=verify]';

/** The API judges host and options; here it is only taken apart. @throws Failure (usage) */
export function parseSiteServer(text: string): ServerRequest {
  const [place = '', ...words] = text.split(',');
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(place);
  if (match === null) throw misused(`${quote(text)} is no server; write ${form}`);
  const options = Object.fromEntries(words.map((word) => parseOption(word, text)));
  return {
    address: match[1] ?? match[2] ?? '',
    port: Number(match[3]),
    ...(words.length > 0 && { options }),
  };
}

function parseOption(word: string, text: string): [string, boolean | number | string] {
  const [, name, value] = /^([a-z_]+)(?:=(.+))?$/.exec(word) ?? [];
  if (name === undefined) throw misused(`${quote(text)} has no proper option ${quote(word)}; write ${form}`);
  if (value === undefined || value === 'true') return [name, true];
  if (value === 'false') return [name, false];
  return [name, /^[0-9]{1,9}$/.test(value) ? Number(value) : value];
}

/** As it would be typed. */
export function siteServerText({ address, port, options = {} }: ServerRequest): string {
  const place = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const words = Object.entries(options)
    .filter(([name, value]) => !(name === 'check' && value === true))
    .map(([name, value]) => (value === true ? name : `${name}=${value}`));
  return [place, ...words].join(',');
}
