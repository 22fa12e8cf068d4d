import { expect, it } from 'vitest';
import { EmptyHandler, launcherFlags } from './empty-handler.ts';

it("runs with the launcher's own flags of Node", () => {
  expect(launcherFlags().every((flag) => /^--[a-z-]+(=\S+)?$/.test(flag))).toBe(true);
});

it('answers a block as the service does', async () => {
  const handler = await EmptyHandler.start();
  try {
    const response = await fetch(`http://127.0.0.1:${handler.port}/api/blocked-ips`, {
      method: 'POST',
      headers: { authorization: 'Bearer pm_x', 'content-type': 'application/json' },
      body: JSON.stringify({ ip_address: '192.0.2.1' }),
    });
    expect([response.status, await response.json()]).toMatchObject([201, { runtime_map_updated: true }]);
  } finally {
    await handler.stop();
  }
});
