// One run of the program: what it wrote to, how it ends.
import { tellFailure } from './connection/failure-text.ts';
import { findService, openSession } from './connection/open-session.ts';
import { type ExitCode, exitCodes } from './failure.ts';
import type { CliHost } from './host.ts';
import { Interruption } from './interruption.ts';
import { harmlessLines } from './output/harmless.ts';
import { Output } from './output/output.ts';
import type { Session } from './session.ts';
import { optionsOf, outputFormat, serviceOptions, type Verb } from './verb.ts';

export type ServiceAction = (
  session: Session,
  operands: readonly string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<ExitCode>;

export class CommandLine {
  readonly host: CliHost;
  readonly output: Output;
  readonly interruption = new Interruption();
  exitCode: ExitCode = exitCodes.done;

  constructor(host: CliHost) {
    this.host = host;
    this.output = new Output(host.stdout, host.stderr, host.environment);
  }

  /** Makes `verb` one that asks the service: finds it and the key, and tells what goes wrong. */
  asking(verb: Verb, action: ServiceAction): Verb {
    for (const option of serviceOptions()) verb.addOption(option);
    verb.action(async () => {
      const options = optionsOf(verb);
      // commander gives a variadic operand as a list.
      const operands = (verb.processedArgs as (string | string[] | undefined)[])
        .flat()
        .filter((word) => word !== undefined);
      this.exitCode = await this.#run(action, operands, options);
    });
    return verb;
  }

  async #run(
    action: ServiceAction,
    operands: readonly string[],
    options: Readonly<Record<string, unknown>>,
  ): Promise<ExitCode> {
    const { host, output, interruption } = this;
    const stopListening = interruption.listen((text) => output.remark(text), host.end);
    const asked: { url: string | null; keySource: string | null } = { url: null, keySource: null };
    try {
      const connection = await findService(host, options, (text) => output.remark(`proxy-manager: ${text}`));
      asked.url = connection.service.url;
      asked.keySource = connection.key.source;
      return await action(openSession(host, connection, output, interruption, options), operands, options);
    } catch (error) {
      const { message, document, exitCode } = tellFailure(error, asked);
      if (outputFormat(options) === 'json') await output.json(document);
      else this.fail(message);
      return exitCode;
    } finally {
      stopListening();
    }
  }

  /** One thing went wrong; several lines where it takes them. */
  fail(message: string): void {
    this.output.remark(harmlessLines(`proxy-manager: ${message}`));
  }
}
