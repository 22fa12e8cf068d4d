/** What a button names. @param ip canonical, so that a single address has no prefix */
export function addressKind(ip: string): 'address' | 'network' {
  return ip.includes('/') ? 'network' : 'address';
}
