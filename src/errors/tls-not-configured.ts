import { codes } from './catalogue.ts';
import { ServiceError } from './service-error.ts';

const setting = 'PROXY_MANAGER_HTTPS_BIND';

/** 6043: HAProxy serves no TLS. Nothing was changed. */
export function tlsNotConfigured(op: string): ServiceError {
  return new ServiceError(
    codes.TlsNotConfigured,
    op,
    `HAProxy serves no TLS, because ${setting} is empty: set it, such as to any:443, restart the service, and reload HAProxy`,
    { members: { setting } },
  );
}
