// `npm start`: the whole product on loopback, everything below `.trial/` of this checkout, a line to try; on the way
// out it stops the proxy too, which `serve` would leave running.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './cli/serve.ts';
import { processAlive, processStartTime } from './haproxy/process.ts';
import { readSettings } from './settings.ts';
import { causeText } from './telemetry/log.ts';

const prefix = join(import.meta.dirname, '..', '.trial');
const api = '127.0.0.1:7080';
const proxy = '127.0.0.1:8080';
const stopPatienceMs = 10_000;

async function run(): Promise<void> {
  const settings = readSettings(
    {
      PROXY_MANAGER_PREFIX: prefix,
      PROXY_MANAGER_LISTEN: api,
      PROXY_MANAGER_HTTP_BIND: proxy,
      PROXY_MANAGER_SUPERVISE: 'true',
      ...process.env,
    },
    {},
    (path) => readFileSync(path, 'utf8'),
  );
  const served = await serve(settings, { jsonFile: join(prefix, 'trial.log'), endsOnHangUp: true });
  const key = settings.apiKey ?? readFileSync(served.keyFile, 'utf8').trim();
  const bind = settings.httpBind[0]!;
  const site = `http://${bind.startsWith(':') ? `127.0.0.1${bind}` : bind}`;
  process.stdout.write(`
proxy-manager is running. Ctrl-C stops it and its proxy.

  proxy   ${site}
  API     ${served.url}
  key     ${key}
  log     ${settings.logFile}

Try it: the first line answers 200, the second blocks 127.0.0.2, the third then answers 403, the fourth unblocks.

  curl -s -o /dev/null -w '%{http_code}\\n' --interface 127.0.0.2 ${site}
  curl -s -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"ip_address":"127.0.0.2"}' ${served.url}/api/blocked-ips
  curl -s -o /dev/null -w '%{http_code}\\n' --interface 127.0.0.2 ${site}
  curl -s -H 'Authorization: Bearer ${key}' -X DELETE ${served.url}/api/blocked-ips/127.0.0.2

`);
  const master = served.proxyMaster;
  let pid = master();
  const remember = setInterval(() => {
    pid = master() ?? pid;
  }, 200);
  try {
    await served.ended;
  } finally {
    clearInterval(remember);
    if (pid !== null) await stopProxy(pid);
  }
}

/** SIGTERM ends the master and all its workers at once; draining ones have nobody left to serve in a trial. */
async function stopProxy(pid: number): Promise<void> {
  const startTime = await processStartTime(pid);
  if (startTime === null) return;
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + stopPatienceMs;
  while (await processAlive(pid, startTime)) {
    if (performance.now() > deadline) {
      process.stderr.write(`the proxy ${pid} did not end within ${stopPatienceMs / 1_000} s; it is killed\n`);
      process.kill(pid, 'SIGKILL');
      return;
    }
    await sleep(50);
  }
}

try {
  await run();
} catch (error) {
  process.stderr.write(`npm start: ${causeText(error)}\n`);
  process.exitCode = 1;
}
