import { type AcmeClient, AcmeRefusal, AcmeUnreachable } from '../acme/authority.ts';

export const acmeOperations = [
  'directory',
  'register',
  'createOrder',
  'order',
  'authorization',
  'answerChallenge',
  'finalize',
  'certificate',
  'renewalInfo',
] as const satisfies readonly (keyof AcmeClient)[];
export type AcmeOperation = (typeof acmeOperations)[number];

/** `limited`: 429. `failed`: a defect of this service. */
export type AcmeResult = 'done' | 'refused' | 'limited' | 'unreachable' | 'failed';

/** Reports each call, with the retries that the client makes by itself, once. */
export function observedClient(
  client: AcmeClient,
  onEnded: (operation: AcmeOperation, result: AcmeResult) => void,
): AcmeClient {
  const observed =
    <Given extends unknown[], Answer>(operation: AcmeOperation, call: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      try {
        const answer = await call.apply(client, given);
        onEnded(operation, 'done');
        return answer;
      } catch (error) {
        onEnded(operation, resultOf(error));
        throw error;
      }
    };
  return {
    directory: observed('directory', client.directory),
    register: observed('register', client.register),
    createOrder: observed('createOrder', client.createOrder),
    order: observed('order', client.order),
    authorization: observed('authorization', client.authorization),
    answerChallenge: observed('answerChallenge', client.answerChallenge),
    finalize: observed('finalize', client.finalize),
    certificate: observed('certificate', client.certificate),
    renewalInfo: observed('renewalInfo', client.renewalInfo),
  };
}

function resultOf(error: unknown): AcmeResult {
  if (error instanceof AcmeUnreachable) return 'unreachable';
  if (!(error instanceof AcmeRefusal)) return 'failed';
  return error.problem.status === 429 || error.problem.type === 'rateLimited' ? 'limited' : 'refused';
}
