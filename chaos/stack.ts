// Kept from round to round, so that its state ages.
import { processAlive } from '../src/system/processes.ts';
import { settableClock } from '../testkit/clock.ts';
import { freePort } from '../testkit/free-port.ts';
import { RealService } from '../testkit/real-service.ts';
import { madeCertificate } from '../testkit/tls/made-certificate.ts';
import { startUpstream, type Upstream } from '../testkit/upstream.ts';
import { Authority } from './authority.ts';
import type { Stack } from './fault.ts';
import { onOwnDisk } from './faults/surroundings.ts';
import { hardStopSeconds } from './hard-stop.ts';
import { Operator } from './operator.ts';
import { setUpstreams } from './upstreams.ts';
import type { VisitedFrontEnd } from './visited-front-end.ts';

const supervisedEnvironment = { PROXY_MANAGER_HARD_STOP_AFTER: `${hardStopSeconds}s` };
const attachedEnvironment = {
  PROXY_MANAGER_HTTP_BIND: '',
  PROXY_MANAGER_ACCESS_LOG: '',
  PROXY_MANAGER_ATTACHED: 'true',
};

interface Uploaded {
  readonly id: string;
  readonly name: string;
}

export class ChaosStack implements Stack {
  readonly service: RealService;
  readonly bin: string;
  readonly upstream: Upstream;
  readonly operator: Operator | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly authority: Authority | null;
  /** 0: it serves no TLS. */
  readonly httpsPort: number;
  /** Faults of certificates find this one from the first round on; null: it serves no TLS. */
  readonly uploaded: Uploaded | null;
  #relaunching: Promise<void> | null = null;
  #launches = 0;

  private constructor(
    parts: Pick<
      ChaosStack,
      'service' | 'bin' | 'upstream' | 'operator' | 'environment' | 'authority' | 'httpsPort' | 'uploaded'
    >,
  ) {
    this.service = parts.service;
    this.bin = parts.bin;
    this.upstream = parts.upstream;
    this.operator = parts.operator;
    this.environment = parts.environment;
    this.authority = parts.authority;
    this.httpsPort = parts.httpsPort;
    this.uploaded = parts.uploaded;
  }

  /** @param attached an operator runs HAProxy; otherwise the service does @param certificates it orders some */
  static async start(bin: string, attached = false, certificates = false): Promise<ChaosStack> {
    const upstream = await startUpstream('upstream');
    let operator: Operator | null = null;
    let authority: Authority | null = null;
    try {
      const [proxyPort, httpsPort] = [await freePort(), certificates ? await freePort() : 0];
      if (certificates) authority = await Authority.start(proxyPort);
      const environment = {
        ...(attached ? attachedEnvironment : supervisedEnvironment),
        ...(await authority?.settings()),
        ...(certificates ? { PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${httpsPort}` } : {}),
      };
      const service = await RealService.start({
        ...{ bin, proxyPort },
        supervise: !attached,
        environment: { ...environment, ...settableClock },
        async before(paths, starting) {
          await onOwnDisk(paths);
          if (attached) operator = await Operator.start(bin, starting, upstream.port);
        },
      });
      if (!attached) await setUpstreams(service);
      const uploaded = certificates ? await upload(service) : null;
      return new ChaosStack({ service, bin, upstream, operator, environment, authority, httpsPort, uploaded });
    } catch (error) {
      await (operator as Operator | null)?.stop();
      await authority?.stop();
      await upstream.stop();
      throw error;
    }
  }

  get frontEnds(): readonly VisitedFrontEnd[] {
    return this.operator?.frontEnds ?? [{ name: 'proxy', port: this.service.proxyPort, tcp: false }];
  }

  /** Whether it may have been without the rule at some moment between the two. */
  mayLackRule(frontEnd: VisitedFrontEnd, from: number, to: number): boolean {
    return this.operator?.mayLackRule(frontEnd.name, from, to) ?? false;
  }

  /** Number of restarts of the service. */
  get launches(): number {
    return this.#launches;
  }

  async serviceRuns(): Promise<boolean> {
    return await processAlive(this.service.pid, null);
  }

  /** Concurrent calls share one start. */
  relaunch(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#relaunching ??= this.#relaunch(environment).finally(() => {
      this.#relaunching = null;
    });
    return this.#relaunching;
  }

  async stop(): Promise<void> {
    await this.operator?.stop();
    await this.service.stop();
    await this.authority?.stop();
    await this.upstream.stop();
  }

  async #relaunch(environment: Readonly<Record<string, string>>): Promise<void> {
    while (!(await this.serviceRuns())) {
      this.#launches += 1;
      try {
        await this.service.launch(environment);
      } catch (error) {
        // Another fault killed it during its start: start it again, unless the environment did.
        if (Object.keys(environment).length > 0 || (await this.service.ended(0)).signal === null) throw error;
      }
    }
  }
}

async function upload(service: RealService): Promise<Uploaded> {
  const name = 'uploaded.chaos.test';
  const { certificate, privateKey } = madeCertificate([name]);
  const body = { certificate, private_key: privateKey };
  const answer = await service.call('POST', '/api/certificates', { body });
  if (answer.status !== 201) throw new Error(`the upload was answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  return { id: String(answer.body['id']), name };
}
