import { Text } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { useHealth } from '../../../api/health.ts';
import type { Attached } from '../../../api/types.ts';
import { NothingHere } from '../../../parts/nothing-here.tsx';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { Read } from '../../../parts/read.tsx';
import styles from '../../../parts/styles.module.css';

export type UnlessAttachedProps = {
  readonly title: string;
  /** The page where the configuration is written here. */
  readonly managed: ReactNode;
} & (
  | { /** What is off in attached mode, such as "Sites". */ readonly off: string }
  | { /** The page in attached mode. */ readonly attached: ComponentType<{ readonly attached: Attached }> }
);

/** A page that needs a configuration which is written here; where others write it, what there is instead. */
export function UnlessAttached(props: UnlessAttachedProps) {
  const health = useHealth();
  const attached = health.data?.attached;
  if (attached === null) return props.managed;
  if (attached !== undefined && 'attached' in props) return <props.attached attached={attached} />;
  return (
    <PageFrame title={props.title}>
      <Read of={health} failed="The service could not be asked" loading="Asking the service">
        {() => 'off' in props && <Off what={props.off} />}
      </Read>
    </PageFrame>
  );
}

function Off({ what }: { readonly what: string }) {
  return (
    <div className={styles.card}>
      <NothingHere title={`${what} are not kept here`}>
        <Text size="sm">
          This service is attached to a HAProxy whose configuration is your own. It keeps the lists of blocked and
          trusted addresses, and writes nothing else. To let it write the configuration: docs/attach.md, “Switch to
          sites and templates”.
        </Text>
      </NothingHere>
    </div>
  );
}
