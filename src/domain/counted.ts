// Numbers in texts for people, of the service, the command line and the panel.

/** `12,345`. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** `1 address`, `12,345 addresses`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
