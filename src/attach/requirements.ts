// Requirements of attaching besides HAProxy.
import { CannotAttach } from './facts.ts';
import type { Host } from './host.ts';

/**
 * @param root the folder of the program
 * @param packaged the text of its unit
 * @throws CannotAttach
 */
export async function refuseUnusable(host: Host, root: string, packaged: string): Promise<void> {
  if (!(await host.exists('/run/systemd/system')))
    throw new CannotAttach(
      'systemd does not run on this machine; for the settings, see docs/attach.md, “Without systemd”',
    );
  const hidden = [
    ...(/^ProtectHome=yes$/m.test(packaged) ? ['/root/', '/home/', '/run/user/'] : []),
    ...(/^PrivateTmp=yes$/m.test(packaged) ? ['/tmp/', '/var/tmp/'] : []),
  ];
  if (hidden.some((folder) => `${root}/`.startsWith(folder)))
    throw new CannotAttach(`the service cannot run from ${root}, which its unit hides: move it to /opt/proxy-manager`);
  if (!/^[A-Za-z0-9._/+@=-]+$/.test(root))
    throw new CannotAttach(`${root} has characters with a special meaning in a systemd unit: move it`);
}
