// Why the API cannot listen: the setting, and which process holds the address.
import type { ListenAddress } from '../settings.ts';
import { describeSockets, foreignListeners } from '../supervision/foreign-listeners.ts';

class ListenRefused extends Error {
  override readonly name = 'ListenRefused';
  /** The system's code, such as `EADDRINUSE`. */
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined, options: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export async function listenRefused(error: unknown, { text, target }: ListenAddress): Promise<ListenRefused> {
  const { code, message } = error as NodeJS.ErrnoException;
  const taken = code === 'EADDRINUSE' && 'port' in target;
  const why = taken ? await holderOf(target) : message;
  // The system's message for a taken port adds nothing.
  return new ListenRefused(
    `the API cannot listen on ${text} (PROXY_MANAGER_LISTEN): ${why}`,
    code,
    taken ? {} : { cause: error },
  );
}

async function holderOf(address: { readonly host: string; readonly port: number }): Promise<string> {
  const holders = await describeSockets(await foreignListeners([address], []));
  // It may have exited, or belong to a user whose processes are hidden.
  const taken = holders.length === 0 ? `port ${address.port} (an unknown process)` : holders.join(', ');
  return `${taken} is already in use; stop that process, or choose another address`;
}
