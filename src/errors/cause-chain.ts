import { ServiceError } from './service-error.ts';

/** Deep enough for every real chain; a cause that leads back to itself ends here. */
const DEEPEST = 16;

/** What an error wraps, outermost first. The text of an ordinary error takes in its own causes. */
export function wrappedErrors(error: ServiceError): (ServiceError | string)[] {
  const chain: (ServiceError | string)[] = [];
  let current = error;
  while (chain.length < DEEPEST) {
    // What lies beneath an unforeseen error is for the log alone.
    if (current.kind === 'Internal' || current.cause === undefined) return chain;
    if (!(current.cause instanceof ServiceError)) return [...chain, describe(current.cause)];
    current = current.cause;
    chain.push(current);
  }
  return chain;
}

function describe(error: unknown): string {
  const texts: string[] = [];
  let current = error;
  while (current !== undefined && texts.length < DEEPEST) {
    if (!(current instanceof Error)) {
      texts.push(String(current));
      break;
    }
    texts.push(current.message || current.name);
    current = current.cause;
  }
  return texts.join(': ');
}
