import { Text } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { useHealth } from '../../../api/health.ts';
import type { Attached } from '../../../api/types.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { Read } from '../../../parts/read.tsx';
import styles from '../../../parts/styles.module.css';

type UnlessAttachedProps = {
  readonly title: string;
  readonly managed: ReactNode;
} & (
  | { /** What attached mode lacks, such as "Sites". */ readonly off: string }
  | { /** The page in attached mode. */ readonly attached: ComponentType<{ readonly attached: Attached }> }
);

export function UnlessAttached(props: UnlessAttachedProps) {
  const health = useHealth();
  const attached = health.data?.attached;
  if (attached === null) return props.managed;
  if (attached !== undefined && 'attached' in props) return <props.attached attached={attached} />;
  return (
    <PageFrame title={props.title}>
      <Read of={health} failed="Could not load the health status" loading="Loading">
        {() => 'off' in props && <Off what={props.off} />}
      </Read>
    </PageFrame>
  );
}

function Off({ what }: { readonly what: string }) {
  return (
    <div className={styles.card}>
      <EmptyState title={`${what} are not managed here`}>
        <Text size="sm">
          This service is attached to a HAProxy with your own configuration. It maintains only the lists of blocked and
          trusted addresses. To let it write the configuration, see “Switch to sites and templates” in docs/attach.md.
        </Text>
      </EmptyState>
    </div>
  );
}
