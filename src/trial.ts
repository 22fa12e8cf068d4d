// `npm start`: the complete product on loopback, everything below `.trial/` of this checkout. Prints the panel's
// address and a command to try. Unlike `serve`, it stops HAProxy when it ends.
import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from './cli/local/serve.ts';
import { namesAddresses } from './configuration/reload/listeners.ts';
import { writeSecretFile } from './files/atomic-file.ts';
import { root } from './root.ts';
import { readSettings, type Settings } from './settings.ts';
import { causeText } from './telemetry/log.ts';
import { makeSelfSigned } from './tls/default-certificate.ts';

const prefix = join(root, '.trial');
const api = '127.0.0.1:7080';
/** Of this machine only. */
const proxy = onLoopback(8080);
const httpsPort = 8443;
const healthyWithinMs = 5_000;
const sampleName = 'trial.example.com';

async function run(): Promise<void> {
  const settings = readSettings(
    {
      PROXY_MANAGER_PREFIX: prefix,
      PROXY_MANAGER_LISTEN: api,
      PROXY_MANAGER_HTTP_BIND: proxy,
      PROXY_MANAGER_HTTPS_BIND: onLoopback(httpsPort),
      PROXY_MANAGER_HTTPS_PUBLIC_PORT: String(httpsPort),
      PROXY_MANAGER_SUPERVISE: 'true',
      // Not into the syslog of the machine.
      PROXY_MANAGER_ACCESS_LOG: 'off',
      ...process.env,
    },
    {},
    (path) => readFileSync(path, 'utf8'),
  );
  const served = await serve(settings, { jsonFile: join(settings.stateDir, 'trial.log'), trial: true });
  if (served === null) return;
  const key = settings.apiKey ?? readFileSync(served.keyFile, 'utf8').trim();
  const site = `http://${authority(settings.httpBind[0]!)}`;
  const [https] = settings.httpsBind;
  const secure = https === undefined ? null : `https://${authority(https)}`;
  const problems = served.url.startsWith('http')
    ? await problemsOf({ url: served.url, key }, settings).catch((error: unknown) => [causeText(error)])
    : [];
  const command = `PROXY_MANAGER_URL='${served.url}' PROXY_MANAGER_API_KEY='${key}' bin/proxy-manager`;
  const sample =
    secure === null
      ? null
      : await sampleCertificate(settings).catch((error: unknown) => {
          problems.push(`no certificate to try: ${causeText(error)}`);
          return null;
        });
  const ownSite =
    secure === null || sample === null
      ? ''
      : `
To serve a site, name your server instead of 127.0.0.1:9000; this certificate was made for it:

  ${command} site set ${sampleName} 127.0.0.1:9000
  ${command} certificate add '${sample}'

A request then shows which certificate is served, and what your server answers:

  ${ask(secure)}
`;
  const overTls =
    secure === null
      ? ''
      : `
The same over TLS; -k, because no authority signed the default certificate:

  ${visit('curl -sk', secure)}
${ownSite}`;
  process.stdout.write(`
proxy-manager is running. Ctrl-C stops the service and HAProxy.

  panel    ${served.url}
  HAProxy  ${site}${secure === null ? '' : ` and ${secure}`}
  API key  ${key}
  log      ${settings.logFile}
${problems.length === 0 ? '' : `\nNot healthy:\n${problems.map((problem) => `  - ${problem}\n`).join('')}`}
To block an address for ten minutes, paste this line into a second terminal, in ${root}:

  ${command} block 127.0.0.2 --for 10m

A request from that address then gets 403, and 200 without the block:

  ${visit('curl -s', site)}
${overTls}
For other commands, replace "block ..." by "status", "unblock 127.0.0.2" or "--help".

`);
  await served.ended;
}

function visit(curl: string, url: string): string {
  return `${curl} -o /dev/null -w '%{http_code}\\n' --interface 127.0.0.2 ${url}`;
}

/** As if the name of the sample belonged to this machine. */
function ask(url: string): string {
  const { hostname, port } = new URL(url);
  const resolve = `--resolve ${sampleName}:${port}:${hostname}`;
  return `curl -skv ${resolve} https://${sampleName}:${port} 2>&1 | grep -E 'subject:|^< HTTP'`;
}

/** A file with a self-signed certificate and its key, made once. Returns its path. */
async function sampleCertificate({ stateDir }: Settings): Promise<string> {
  const path = join(stateDir, `${sampleName}.pem`);
  if (!existsSync(path)) await writeSecretFile(path, makeSelfSigned(sampleName, new Date()).reveal());
  return path;
}

/** A loopback address for one that stands for all. */
function authority(bind: string): string {
  return bind.replace(/^(any|\*|\[::\])?:/, '127.0.0.1:');
}

function onLoopback(port: number): string {
  return hasIpv6Loopback() ? `127.0.0.1:${port},[::1]:${port}` : `127.0.0.1:${port}`;
}

function hasIpv6Loopback(): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
}

interface Service {
  readonly url: string;
  readonly key: string;
}

interface Answer {
  readonly detail?: string;
  readonly reasons?: readonly string[];
}

async function request({ url, key }: Service, method: string, path: string): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, { method, headers: { Authorization: `Bearer ${key}` } });
  return (await answer.json()) as Answer;
}

/** Waits a few seconds for a healthy service; returns the reasons why it is not. */
async function problemsOf(service: Service, settings: Settings): Promise<string[]> {
  const problems: string[] = [];
  // A trial keeps its configuration, which is out of date after a change of ports.
  const live = readFileSync(settings.configFile, 'utf8');
  const isBound =
    namesAddresses(live, settings.httpBind, { tls: false }) && namesAddresses(live, settings.httpsBind, { tls: true });
  if (!isBound) {
    const { detail } = await request(service, 'POST', '/api/config/reload');
    if (detail !== undefined) problems.push(detail);
  }
  const deadline = performance.now() + healthyWithinMs;
  for (;;) {
    const { reasons = [] } = await request(service, 'GET', '/health');
    if (reasons.length === 0 || performance.now() > deadline) return [...problems, ...reasons];
    await pause(200);
  }
}

try {
  await run();
} catch (error) {
  const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  const advice = taken ? '; to use another port: PROXY_MANAGER_LISTEN=127.0.0.1:7081 npm start' : '';
  process.stderr.write(`npm start: ${causeText(error)}${advice}\n`);
  process.exitCode = 1;
}
