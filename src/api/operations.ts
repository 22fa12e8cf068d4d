// In the order of the page.

import { acmeOperations } from './acme.ts';
import { auditOperations } from './audit.ts';
import { blockedIpOperations } from './blocked-ips.ts';
import { blockedIpBulkOperations } from './blocked-ips-bulk.ts';
import { selectedOperations } from './blocked-ips-selected.ts';
import { certificateOperations } from './certificates.ts';
import { checkAddress } from './check.ts';
import { explainClientAddress } from './client-address.ts';
import { configurationOperations } from './configuration.ts';
import { descriptionOperations } from './description.ts';
import { eventOperations } from './events.ts';
import { healthOperations } from './health.ts';
import { insightOperations } from './insight.ts';
import { insightMapOperations } from './insight-map.ts';
import { keyOperations } from './keys.ts';
import { metricsOperations } from './metrics.ts';
import { noticeOperations } from './notices.ts';
import type { Operation } from './operation.ts';
import { siteTlsOperations } from './site-tls.ts';
import { siteOperations } from './sites.ts';
import { sourceOperations } from './sources.ts';
import { trustedIpOperations } from './trusted-ips.ts';
import { undoOperations } from './undo.ts';
import { upstreamOperations } from './upstreams.ts';
import { viewOperations } from './views.ts';
import { webhookOperations } from './webhooks.ts';

export const operations: readonly Operation[] = [
  ...blockedIpOperations,
  checkAddress,
  ...blockedIpBulkOperations,
  ...selectedOperations,
  ...insightMapOperations,
  ...insightOperations,
  ...sourceOperations,
  ...trustedIpOperations,
  ...upstreamOperations,
  explainClientAddress,
  ...siteOperations,
  ...certificateOperations,
  ...acmeOperations,
  ...siteTlsOperations,
  ...configurationOperations,
  ...keyOperations,
  ...auditOperations,
  ...undoOperations,
  ...eventOperations,
  ...webhookOperations,
  ...noticeOperations,
  ...viewOperations,
  ...healthOperations,
  ...metricsOperations,
  ...descriptionOperations,
];
