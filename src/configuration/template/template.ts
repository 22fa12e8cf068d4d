import { readFile } from 'node:fs/promises';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { builtInTemplate } from './builtin-template.ts';
import { type RenderedConfiguration, renderConfiguration } from './render.ts';
import type { RenderInput } from './render-scope.ts';
import { RenderTurns } from './render-turns.ts';
import { renderTemplate } from './template-engine.ts';
import { renderInThread } from './template-thread.ts';

interface TemplateDeps {
  readonly name: string;
  readonly read: () => Promise<string>;
  readonly engine: typeof renderTemplate;
  /** Absent: rendered at once. */
  readonly turns?: RenderTurns;
}

export class Template {
  readonly #deps: TemplateDeps;

  private constructor(deps: TemplateDeps) {
    this.#deps = deps;
  }

  get name(): string {
    return this.#deps.name;
  }

  /** Known to terminate: rendered in this thread. */
  static builtIn(): Template {
    return new Template({
      name: 'the built-in template',
      read: async () => builtInTemplate,
      engine: renderTemplate,
    });
  }

  /**
   * The file is read at every render, and renders run one at a time: the time limit begins with its own turn. Throws
   * ServiceError 5001 at once when it cannot be read now.
   */
  static async fromFile(path: string, engine: typeof renderTemplate = renderInThread): Promise<Template> {
    const turns = new RenderTurns();
    const inTurn: typeof engine = (template, scope) => turns.take(() => engine(template, scope));
    const template = new Template({ name: path, read: () => readTemplate(path), engine: inTurn, turns });
    await template.#deps.read();
    return template;
  }

  /** Rejects the waiting renders. */
  stop(): void {
    this.#deps.turns?.stop();
  }

  /** Throws ServiceError 5001 (template or value refused), 5003 (no rule for the blocked map) or 6012 (`stop`). */
  async render(input: RenderInput): Promise<RenderedConfiguration> {
    return renderConfiguration(await this.#deps.read(), this.name, input, this.#deps.engine);
  }
}

async function readTemplate(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const output = `the template ${path} cannot be read: ${why}`;
    throw new ServiceError(
      codes.TemplateRefused,
      'render configuration',
      `the template could not be rendered: ${output}`,
      {
        cause,
        members: { output },
      },
    );
  }
}
