// `npm start`: the whole product on loopback, everything below `.trial/` of this checkout, lines to try; on the way
// out the proxy ends too, which `serve` leaves running otherwise.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from './cli/serve.ts';
import { readSettings } from './settings.ts';
import { causeText } from './telemetry/log.ts';

const prefix = join(import.meta.dirname, '..', '.trial');
const api = '127.0.0.1:7080';
const proxy = '127.0.0.1:8080';

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
  const served = await serve(settings, { jsonFile: join(settings.stateDir, 'trial.log'), trial: true });
  if (served === null) return;
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
  await served.ended;
}

try {
  await run();
} catch (error) {
  process.stderr.write(`npm start: ${causeText(error)}\n`);
  process.exitCode = 1;
}
