// A verb of the command line: commander's command, with examples that its help, the manual page and the tests share.
import { Command, type ErrorOptions, Option } from 'commander';
import { misused } from './failure.ts';
import { harmlessLines } from './output/harmless.ts';
import type { OutputFormat } from './output/output.ts';

export interface Example {
  /** What is typed behind `proxy-manager`. */
  readonly line: string;
  readonly says: string;
}

export class Verb extends Command {
  readonly examples: Example[] = [];

  constructor(name: string, description: string) {
    super(name);
    this.description(description);
    this.addHelpText('after', () => this.#exampleText());
    this.exitOverride();
    this.helpOption('-h, --help', 'print what it does and how it is used');
    this.helpCommand(false);
    // What came with a flag that does not exist is not shown: it may be the key (`--api-key=...`).
    const shown = (text: string): string => harmlessLines(text.replace(/(unknown option '[^'=]*)=.*'/s, "$1'"));
    this.configureOutput({ outputError: (text, write) => write(shown(text)) });
  }

  example(line: string, says: string): this {
    this.examples.push({ line, says });
    return this;
  }

  /** The words that lead to it: `trust add`; of the whole program none. */
  get path(): string {
    return this.parent instanceof Verb ? `${this.parent.path} ${this.name()}`.trim() : '';
  }

  override error(message: string, details?: ErrorOptions): never {
    const wrong = message.replace(/^error: /, '');
    super.error(`proxy-manager: ${wrong}\n(see: proxy-manager ${[this.path, '--help'].join(' ').trim()})`, details);
  }

  #exampleText(): string {
    if (this.examples.length === 0) return '';
    const lines = this.examples.map(({ line, says }) => `  # ${says}\n  proxy-manager ${line}`);
    return `\nExamples:\n${lines.join('\n')}`;
  }
}

/** The options of every verb that asks the service. */
export function serviceOptions(): Option[] {
  return [
    new Option('--url <url>', 'where the service is: http://HOST:PORT or unix:/path; PROXY_MANAGER_URL'),
    outputOption(),
  ];
}

export function outputOption(): Option {
  const says = 'text, or json: the answer of the API as it is';
  return new Option('-o, --output <format>', says).choices(['text', 'json']);
}

/** What was typed before the verb and behind it; the latter wins. */
export function optionsOf(verb: Command): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (let command: Command | null = verb; command !== null; command = command.parent) {
    for (const [name, value] of Object.entries(command.opts())) {
      if (!Object.hasOwn(given, name)) given[name] = value;
    }
  }
  return given;
}

export function outputFormat(options: Readonly<Record<string, unknown>>): OutputFormat {
  return options['output'] === 'json' ? 'json' : 'text';
}

/** A number of a flag. @throws Failure (usage) */
export function wholeNumber(text: string, flag: string, least: number, most: number): number {
  const value = Number(text);
  if (/^[0-9]{1,10}$/.test(text) && value >= least && value <= most) return value;
  throw misused(`${flag} takes a whole number from ${least} to ${most}`);
}
