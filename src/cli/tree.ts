// For completion and the manual page.
import type { Argument, Option } from 'commander';
import { type Example, Verb } from './verb.ts';

export interface TreeOption {
  readonly flags: string;
  readonly names: readonly string[];
  readonly help: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export interface TreeVerb {
  /** The words that lead to it; empty for the program itself. */
  readonly words: readonly string[];
  readonly description: string;
  readonly operands: readonly { readonly term: string; readonly help: string }[];
  /** One of its operands is a file. */
  readonly takesFile: boolean;
  readonly options: readonly TreeOption[];
  readonly examples: readonly Example[];
  readonly verbs: readonly TreeVerb[];
}

export function treeOf(verb: Verb): TreeVerb {
  const help = verb.createHelp();
  return {
    words: verb.path === '' ? [] : verb.path.split(' '),
    description: verb.description(),
    operands: verb.registeredArguments.map((argument) => ({ term: operandTerm(argument), help: argument.description })),
    takesFile: verb.registeredArguments.some((argument) => argument.name() === 'file'),
    options: help.visibleOptions(verb).map(optionOf),
    examples: verb.examples,
    verbs: verb.commands.filter((child) => child instanceof Verb).map(treeOf),
  };
}

/** All verbs, each before its children. */
export function* everyVerb(tree: TreeVerb): Generator<TreeVerb> {
  yield tree;
  for (const verb of tree.verbs) yield* everyVerb(verb);
}

function operandTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionOf(option: Option): TreeOption {
  return {
    flags: option.flags,
    names: [option.short, option.long].filter((name) => name !== undefined),
    help: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  };
}
