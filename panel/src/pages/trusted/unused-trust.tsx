import { Alert, Text } from '@mantine/core';
import { counted } from '../../../../src/domain/counted.ts';
import { unusedTrustedMap } from '../../../../src/domain/trust-effect.ts';
import { useHealth } from '../../api/health.ts';
import { sentence } from '../../parts/problem-alert.tsx';

export function UnusedTrust() {
  const map = useHealth().data?.trusted_map;
  if (map === undefined || map.used !== false || map.entries === 0) return null;
  const entries = counted(map.entries, 'trusted entry has', 'trusted entries have');
  return (
    <Alert color="orange" variant="light" title={`${entries} no effect`} role="status">
      <Text size="sm">{sentence(unusedTrustedMap)}</Text>
    </Alert>
  );
}
