import { useAttached } from '../api/health.ts';
import { useAllowed } from '../session/session.ts';
import type { Offered } from './navigation.ts';

/** Until it is known whether the service is attached, all pages are offered. */
export function useOffered(): Offered {
  return { admin: useAllowed('admin'), attached: useAttached() != null };
}
