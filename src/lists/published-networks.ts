// The networks that a CDN publishes: one per line, or the JSON of Fastly or of AWS.

interface AwsPrefix {
  readonly ip_prefix?: unknown;
  readonly ipv6_prefix?: unknown;
  readonly service?: unknown;
}

/** AWS lists all of its services. */
const awsService = 'CLOUDFRONT_ORIGIN_FACING';

/** Unparsed, each once. @throws Error for JSON in another form */
export function publishedNetworks(text: string): string[] {
  const trimmed = text.trim();
  const found = trimmed.startsWith('{') || trimmed.startsWith('[') ? fromJson(JSON.parse(trimmed)) : fromLines(trimmed);
  return [...new Set(found)];
}

function fromLines(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [word = ''] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    return word === '' ? [] : [word];
  });
}

function fromJson(value: unknown): string[] {
  if (Array.isArray(value)) return texts(value);
  const { addresses, ipv6_addresses: ipv6, prefixes, ipv6_prefixes: ipv6Prefixes } = value as Record<string, unknown>;
  if (Array.isArray(addresses)) return [...texts(addresses), ...(Array.isArray(ipv6) ? texts(ipv6) : [])];
  if (Array.isArray(prefixes)) return awsNetworks([...prefixes, ...(Array.isArray(ipv6Prefixes) ? ipv6Prefixes : [])]);
  throw new Error('it is JSON, but neither a list of networks nor in the form of Fastly or AWS');
}

function awsNetworks(prefixes: readonly AwsPrefix[]): string[] {
  const own = prefixes.filter(({ service }) => service === awsService);
  return texts(own.map(({ ip_prefix: ipv4, ipv6_prefix: ipv6 }) => ipv4 ?? ipv6));
}

function texts(values: readonly unknown[]): string[] {
  return values.map((value) => {
    if (typeof value !== 'string') throw new Error('an element of it is no text');
    return value;
  });
}
