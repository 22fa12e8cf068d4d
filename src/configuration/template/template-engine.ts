import { Context, type Emitter, Liquid, LiquidError, toPromise } from 'liquidjs';
import { TimeSlice } from '../../concurrency/slices.ts';
import type { TemplateScope } from './render-scope.ts';
import { printable } from './template-values.ts';

/** The template is invalid, or exceeded a limit. `line` counts from 1; null: unknown. */
export class TemplateRefused extends Error {
  readonly line: number | null;

  constructor(message: string, line: number | null, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }
}

export const templateLimits = {
  /** Characters of template. */
  parse: 1_000_000,
  /** Characters of configuration; 5,000 sites of two servers are 1.2 million. */
  output: 64_000_000,
  /** Objects and characters that filters, ranges and loops may make. */
  memory: 50_000_000,
  /** Milliseconds for one render, other work of the event loop included. */
  time: 10_000,
  /** Milliseconds of work before other events are processed. */
  slice: 10,
};

/** Tags that include another file: a template is one file. */
const fileTags = ['include', 'layout', 'render', 'block'];

/**
 * Renders one template over plain data, each with its own engine, so that no state is shared. Throws TemplateRefused.
 */
export async function renderTemplate(template: string, scope: TemplateScope): Promise<string> {
  const engine = lockedDownEngine(yieldAfterSlice());
  try {
    const parsed = engine.parse(template);
    const context = new Context(scope, engine.options, {}, { liquid: engine });
    const emitter = new BoundedEmitter(templateLimits.output);
    await toPromise(engine.renderer.renderTemplates(parsed, context, emitter));
    return emitter.buffer;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw asRefusal(error);
  }
}

function lockedDownEngine(yieldIfDue: () => Promise<void> | null): Liquid {
  const engine = new Liquid({
    templates: {}, // no other template can be loaded
    strictVariables: true,
    lenientIf: true,
    strictFilters: true,
    ownPropertyOnly: true,
    dynamicPartials: false,
    relativeReference: false,
    cache: false,
    // Fixed, so that a template renders the same on every machine; looking up the machine's own takes 20 ms.
    locale: 'en-US',
    parseLimit: templateLimits.parse,
    renderLimit: templateLimits.time,
    memoryLimit: templateLimits.memory,
    // Returns a promise when a pause is due: the engine awaits it, so thousands of sites do not block the event loop.
    outputEscape: ((value: unknown) => {
      const text = printable(value);
      return yieldIfDue()?.then(() => text) ?? text;
    }) as (value: unknown) => string,
  });
  for (const tag of fileTags) delete engine.tags[tag];
  delete engine.filters.raw; // would bypass the output escape
  return engine;
}

/** Returns a promise of the next turn once a slice of work is over, else null. */
function yieldAfterSlice(): () => Promise<void> | null {
  const slice = new TimeSlice(templateLimits.slice);
  return () => (slice.due() ? slice.rest() : null);
}

class BoundedEmitter implements Emitter {
  buffer = '';
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  write(text: unknown): void {
    this.buffer += String(text ?? '');
    if (this.buffer.length > this.#most) throw new Error(`the result is longer than ${this.#most} characters`);
  }
}

/** liquidjs appends `, line:3, col:5` to its messages and keeps the token that failed. */
function asRefusal(error: Error): TemplateRefused {
  if (!LiquidError.is(error)) return new TemplateRefused(error.message, null, { cause: error });
  const message = error.message.replace(/, line:\d+, col:\d+$/, '');
  const [line] = error.token?.getPosition() ?? [];
  const source = error.token?.getText().trim() ?? '';
  const where = line === undefined ? '' : `line ${line}: `;
  const what = source === '' || message.includes(source) ? '' : ` in ${shorten(source)}`;
  return new TemplateRefused(`${where}${message}${what}${unclosedTagHint(error.token)}`, line ?? null, {
    cause: error,
  });
}

/** For a tag that is not closed, the engine names a later line, which is correct. */
function unclosedTagHint(token: LiquidError['token'] | undefined): string {
  if (token === undefined) return '';
  const before = token.input.slice(0, token.begin);
  const open = Math.max(before.lastIndexOf('{%'), before.lastIndexOf('{{'));
  const since = before.slice(Math.max(open, 0));
  if (open < 0 || !since.includes('\n') || /[%}]\}/.test(since)) return '';
  return `; the tag that begins in line ${before.slice(0, open).split('\n').length} may not be closed`;
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
