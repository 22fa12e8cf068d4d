// Why the API cannot listen, by the setting that says where, and by who is there already.
import type { ListenAddress } from '../settings.ts';
import { describeSockets, foreignListeners } from '../supervision/foreign-listeners.ts';

class ListenRefused extends Error {
  override readonly name = 'ListenRefused';
  /** Of the system: `EADDRINUSE`. */
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined, options: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** @param error what `listen` rejected with */
export async function listenRefused(error: unknown, { text, target }: ListenAddress): Promise<ListenRefused> {
  const { code, message } = error as NodeJS.ErrnoException;
  const taken = code === 'EADDRINUSE' && 'port' in target;
  const why = taken ? await holderOf(target) : message;
  // The system's own words for a port that is taken say nothing more.
  return new ListenRefused(
    `the API cannot listen on ${text} (PROXY_MANAGER_LISTEN): ${why}`,
    code,
    taken ? {} : { cause: error },
  );
}

async function holderOf(address: { readonly host: string; readonly port: number }): Promise<string> {
  const holders = await describeSockets(await foreignListeners([address], []));
  // It may have gone meanwhile, or listen where this user may not look.
  return `${holders.length === 0 ? 'another process' : holders.join(', ')} has it already; stop that, or name another address`;
}
