import { homeFolder } from './cli/host.ts';
import { runCommandLine } from './cli/run.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  homeFolder: homeFolder(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
  end: (exitCode) => process.exit(exitCode),
});
