import { configLines } from '../rules/config-lines.ts';

/**
 * The addresses that the front end binds. `any:80` in the settings is `:80`, and `[::]:80` if the machine has IPv6. A
 * configuration that binds `:80` alone keeps doing so: an upgrade of the service opens no address (ADR 0067).
 */
export function boundAddresses(setting: readonly string[], ipv6: boolean, liveText: string | null): readonly string[] {
  const live = liveText === null ? [] : bindWords(liveText);
  return setting.flatMap((bind) => {
    const port = /^any(:\d+)$/.exec(bind)?.[1];
    if (port === undefined) return [bind];
    const [ipv4, ipv6Address] = [port, `[::]${port}`];
    const keepsIpv4 = live.includes(ipv4) && !live.includes(ipv6Address);
    return ipv6 && !keepsIpv4 ? [ipv4, ipv6Address] : [ipv4];
  });
}

function bindWords(configText: string): string[] {
  return [...configLines(configText)].flatMap(({ words: [keyword, addresses = ''] }) =>
    keyword === 'bind' ? addresses.split(',') : [],
  );
}
