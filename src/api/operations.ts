// Every operation that is declared here; in the order of the page.
import { auditOperations } from './audit.ts';
import { configurationOperations } from './configuration.ts';
import { keyOperations } from './keys.ts';
import type { Operation } from './operation.ts';
import { siteOperations } from './sites.ts';
import { webhookOperations } from './webhooks.ts';

export const operations: readonly Operation[] = [
  ...siteOperations,
  ...configurationOperations,
  ...keyOperations,
  ...auditOperations,
  ...webhookOperations,
];
