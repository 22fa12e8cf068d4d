// Ways in which the master socket of a running proxy can fail.
import { unlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { eventually } from './conditions.ts';
import type { RealService } from './real-service.ts';
import { type Script, ScriptedMaster, say } from './scripted-master.ts';

/** Removes the replacement of the socket; whatever listens at its path by then stays. */
type Repair = () => Promise<void>;

interface Breakage {
  readonly name: string;
  breakIt(service: RealService): Promise<Repair>;
}

const nothing: Repair = async () => undefined;

/** Another process listens at the path; HAProxy's own socket cannot be reached. */
async function foreign(service: RealService, script: Script, welcome: ScriptedMaster['welcome']): Promise<Repair> {
  await unlink(service.paths.masterSocket);
  const fake = new ScriptedMaster(service.paths.masterSocket, {});
  fake.script = script;
  fake.welcome = welcome;
  await fake.listen();
  return () => fake.stop(true);
}

export const breakages: readonly Breakage[] = [
  // The first three look like a reload under way, so the service waits longest for them.
  {
    name: 'closed after half a reply',
    breakIt: (service) => foreign(service, () => say('type=ip, case=sens', 'close'), 'serve'),
  },
  { name: 'reset', breakIt: (service) => foreign(service, () => say('', 'reset'), 'serve') },
  {
    name: 'refusing: a stale file',
    breakIt: async (service) => {
      await unlink(service.paths.masterSocket);
      const gone = new ScriptedMaster(service.paths.masterSocket, {});
      await gone.listen();
      await gone.stop(true);
      return nothing;
    },
  },
  {
    name: 'missing',
    breakIt: async (service) => {
      await unlink(service.paths.masterSocket);
      return nothing;
    },
  },
  { name: 'hung', breakIt: (service) => foreign(service, () => undefined, 'silence') },
  { name: 'garbled', breakIt: (service) => foreign(service, () => say('\u0001}{\n\n\n\n\n\n'), 'serve') },
  {
    name: 'answering every command with an unknown text',
    breakIt: (service) => foreign(service, () => say('Permission denied by the moon.\n\n'), 'serve'),
  },
  {
    name: 'that of another proxy, which knows no such map',
    breakIt: (service) => foreign(service, () => undefined, 'serve'),
  },
];

/** Ten silent clients: the master serves no eleventh. A client that is refused during a reload retries. */
export async function takeAllConnections(service: RealService): Promise<Repair> {
  const join = (): Socket => {
    const client = connect(service.paths.masterSocket);
    client.on('error', () => client.destroy());
    return client;
  };
  const clients = Array.from({ length: 10 }, join);
  await eventually('ten clients are connected', () => {
    for (const [index, client] of clients.entries()) if (client.destroyed) clients[index] = join();
    return clients.every((client) => client.readyState === 'open');
  });
  return async () => {
    for (const client of clients) client.destroy();
  };
}
