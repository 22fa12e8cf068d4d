// Every operation that is declared here; in the order of the page.
import { auditOperations } from './audit.ts';
import { keyOperations } from './keys.ts';
import type { Operation } from './operation.ts';
import { webhookOperations } from './webhooks.ts';

export const operations: readonly Operation[] = [...keyOperations, ...auditOperations, ...webhookOperations];
