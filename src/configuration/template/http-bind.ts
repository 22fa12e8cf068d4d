/**
 * The addresses that the front end binds. `any:80` in the settings is `:80`, and `[::]:80` if the machine has IPv6. A
 * configuration that binds `:80` alone keeps doing so: an upgrade of the service opens no address (ADR 0067).
 */
export function boundAddresses(setting: readonly string[], ipv6: boolean, liveText: string | null): readonly string[] {
  return setting.flatMap((bind) => {
    const port = /^any(:\d+)$/.exec(bind)?.[1];
    if (port === undefined) return [bind];
    const [ipv4, ipv6Address] = [port, `[::]${port}`];
    const live = bindWords(liveText ?? '');
    const keepsIpv4 = live.includes(ipv4) && !live.includes(ipv6Address);
    return ipv6 && !keepsIpv4 ? [ipv4, ipv6Address] : [ipv4];
  });
}

/** By an expression, as parsing thousands of sites would take milliseconds. */
function bindWords(configText: string): string[] {
  return [...configText.matchAll(/^[ \t]*bind[ \t]+(\S+)/gm)].flatMap(([, addresses = '']) => addresses.split(','));
}
