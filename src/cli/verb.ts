// Help, the manual page and the tests share a verb's examples.
import { Command, type ErrorOptions, Option } from 'commander';
import { usageError } from './failure.ts';
import { harmlessLines } from './output/harmless.ts';
import type { OutputFormat } from './output/output.ts';

export interface Example {
  /** What is typed after `proxy-manager`. */
  readonly line: string;
  readonly explanation: string;
}

/** By their camel-case names. */
export type Options = Readonly<Record<string, unknown>>;

export class Verb extends Command {
  readonly examples: Example[] = [];

  constructor(name: string, description: string) {
    super(name);
    this.description(description);
    this.addHelpText('after', () => this.#exampleText());
    this.exitOverride();
    this.helpOption('-h, --help', 'print this help');
    this.helpCommand(false);
    // The value of an unknown flag may be the key (`--api-key=...`), and a key in PEM begins like a flag.
    const shown = (text: string): string =>
      harmlessLines(text.replace(/(unknown option '(?:-----BEGIN|[^'=]*(?==)))[^']*'/s, "$1'"));
    this.configureOutput({ outputError: (text, write) => write(shown(text)) });
  }

  example(line: string, explanation: string): this {
    this.examples.push({ line, explanation });
    return this;
  }

  /** The words that lead to it: `trust add`; empty for the program itself. */
  get path(): string {
    return this.parent instanceof Verb ? `${this.parent.path} ${this.name()}`.trim() : '';
  }

  override error(message: string, details?: ErrorOptions): never {
    // The help calls it a verb.
    const wrong = message.replace(/^error: /, '').replace(/^unknown command/, 'unknown verb');
    super.error(`proxy-manager: ${wrong}\n(see: proxy-manager ${[this.path, '--help'].join(' ').trim()})`, details);
  }

  #exampleText(): string {
    if (this.examples.length === 0) return '';
    const lines = this.examples.map(({ line, explanation }) => `  # ${explanation}\n  proxy-manager ${line}`);
    return `\nExamples:\n${lines.join('\n')}`;
  }
}

export function serviceOptions(): Option[] {
  return [
    new Option(
      '--url <url>',
      'address of the service: http://HOST:PORT or unix:/path; PROXY_MANAGER_URL (default http://127.0.0.1:7080)',
    ),
    outputOption(),
  ];
}

export function outputOption(): Option {
  const help = 'text, or json: the response of the API unchanged';
  return new Option('-o, --output <format>', help).choices(['text', 'json']);
}

/** Typed before or after the verb; after it wins. */
export function optionsOf(verb: Command): Options {
  const given: Record<string, unknown> = {};
  for (let command: Command | null = verb; command !== null; command = command.parent) {
    for (const [name, value] of Object.entries(command.opts())) {
      if (!Object.hasOwn(given, name)) given[name] = value;
    }
  }
  return given;
}

export function outputFormat(options: Options): OutputFormat {
  return options['output'] === 'json' ? 'json' : 'text';
}

/** @throws Failure (usage) */
export function wholeNumber(text: string, flag: string, least: number, most: number): number {
  const value = Number(text);
  if (/^[0-9]{1,10}$/.test(text) && value >= least && value <= most) return value;
  throw usageError(`${flag} requires a whole number from ${least} to ${most}`);
}
