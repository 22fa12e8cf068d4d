// Every operation that is declared here; in the order of the page.
import type { Operation } from './operation.ts';
import { webhookOperations } from './webhooks.ts';

export const operations: readonly Operation[] = [...webhookOperations];
