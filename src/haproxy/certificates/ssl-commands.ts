import { checkPath } from '../maps/runtime-map-commands.ts';
import { SecretPayload } from '../socket/conversation-command.ts';

/** The commands for certificates and lists of certificates, to one worker. */
export class SslCommands {
  readonly target: string;

  constructor(pid: number) {
    this.target = `@!${pid}`;
  }

  /** Names all certificates, and the one of an open transaction. */
  names(): string {
    return `${this.target} show ssl cert`;
  }

  show(file: string): string {
    return this.#of('show', file);
  }

  create(file: string): string {
    return this.#of('new', file);
  }

  /** @param pem leaf, chain and key, without empty lines. Throws UnsafeCommandError if it is too long. */
  set(file: string, pem: { reveal(): string }): SecretPayload {
    return new SecretPayload(this.#of('set', file), pem);
  }

  commit(file: string): string {
    return this.#of('commit', file);
  }

  abort(file: string): string {
    return this.#of('abort', file);
  }

  /** On 2.6 its reply ends in one empty line too many: the only command of its connection. */
  remove(file: string): string {
    return this.#of('del', file);
  }

  /** With the line numbers that `unlist` takes. */
  showList(list: string): string {
    return `${this.target} show ssl crt-list -n ${checkPath(list, 'a list')}`;
  }

  /** Adds a second entry if there is one. */
  list(list: string, file: string): string {
    return `${this.target} add ssl crt-list ${checkPath(list, 'a list')} ${checkPath(file, 'a certificate')}`;
  }

  /** As `remove`, the only command of its connection. */
  unlist(list: string, file: string, line: number): string {
    return `${this.target} del ssl crt-list ${checkPath(list, 'a list')} ${checkPath(file, 'a certificate')}:${line}`;
  }

  #of(verb: string, file: string): string {
    return `${this.target} ${verb} ssl cert ${checkPath(file, 'a certificate')}`;
  }
}
