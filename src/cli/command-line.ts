import { describeFailure } from './connection/failure-text.ts';
import { findService, openSession } from './connection/open-session.ts';
import { type ExitCode, exitCodes } from './failure.ts';
import type { CliHost } from './host.ts';
import { Interruption } from './interruption.ts';
import { harmlessLines } from './output/harmless.ts';
import { Output } from './output/output.ts';
import type { Session } from './session.ts';
import { type Options, optionsOf, outputFormat, serviceOptions, type Verb } from './verb.ts';

type ServiceAction = (session: Session, operands: readonly string[], options: Options) => Promise<ExitCode>;

export class CommandLine {
  readonly host: CliHost;
  readonly output: Output;
  readonly interruption = new Interruption();
  exitCode: ExitCode = exitCodes.done;

  constructor(host: CliHost) {
    this.host = host;
    this.output = new Output(host);
  }

  /** Makes `verb` call the service, and reports a failure. */
  calling(verb: Verb, action: ServiceAction): Verb {
    for (const option of serviceOptions()) verb.addOption(option);
    return verb.action(async () => {
      // commander gives a variadic operand as a list.
      const operands = (verb.processedArgs as (string | string[] | undefined)[])
        .flat()
        .filter((word) => word !== undefined);
      this.exitCode = await this.#run(action, operands, optionsOf(verb));
    });
  }

  async #run(action: ServiceAction, operands: readonly string[], options: Options): Promise<ExitCode> {
    const { host, output, interruption } = this;
    const stopListening = interruption.listen((text) => output.remark(text), host.end);
    const call: { url: string | null; keySource: string | null } = { url: null, keySource: null };
    try {
      const connection = await findService(host, options, (text) => output.remark(`proxy-manager: ${text}`));
      call.url = connection.service.url;
      call.keySource = connection.key.source;
      return await action(openSession({ host, connection, output, interruption, options }), operands, options);
    } catch (error) {
      const { message, document, exitCode } = describeFailure(error, call);
      if (outputFormat(options) === 'json') await output.json(document);
      else this.fail(message);
      return exitCode;
    } finally {
      stopListening();
    }
  }

  fail(message: string): void {
    this.output.remark(harmlessLines(`proxy-manager: ${message}`));
  }
}
