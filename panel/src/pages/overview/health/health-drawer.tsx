import { Drawer } from '@mantine/core';
import { useHealth } from '../../../api/health.ts';
import { isStale } from '../../../app/enforcement.ts';
import { useNow } from '../../../parts/age.tsx';
import { Read } from '../../../parts/read.tsx';
import { useBackCloses } from '../../../parts/use-back-closes.ts';
import { useFocusReturn } from '../../../parts/use-focus-return.ts';
import { useSessionState } from '../../../session/session.ts';
import { HealthParts } from './health-parts.tsx';

export default function HealthDrawer({ onClose }: { readonly onClose: () => void }) {
  const health = useHealth();
  const reachable = useSessionState().unreachableSince === null;
  const stale = isStale(useNow() - health.dataUpdatedAt, reachable);
  useFocusReturn();
  useBackCloses(onClose);
  return (
    <Drawer opened onClose={onClose} position="right" title="Health" size="lg" transitionProps={{ duration: 0 }}>
      <Read of={health} failed="Could not load the health status" loading="Loading the health status">
        {(data) => <HealthParts health={data} stale={stale} />}
      </Read>
    </Drawer>
  );
}
