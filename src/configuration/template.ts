import { readFile } from 'node:fs/promises';
import { ServiceError } from '../errors/service-error.ts';
import { builtInTemplate } from './builtin-template.ts';
import { type RenderedConfiguration, type RenderInput, renderConfiguration } from './render.ts';
import { renderTemplate } from './template-engine.ts';
import { renderInThread } from './template-thread.ts';

/** The template of the configuration: the built-in one, or an operator's file. */
export class Template {
  readonly name: string;
  readonly #read: () => Promise<string>;
  readonly #engine: typeof renderTemplate;

  private constructor(name: string, read: () => Promise<string>, engine: typeof renderTemplate) {
    this.name = name;
    this.#read = read;
    this.#engine = engine;
  }

  /** Known to end: it is rendered where it stands. */
  static builtIn(): Template {
    return new Template('the built-in template', async () => builtInTemplate, renderTemplate);
  }

  /** The file is read at every render. Throws ServiceError 5001 at once when it cannot be read now. */
  static async fromFile(path: string): Promise<Template> {
    const template = new Template(path, () => readTemplate(path), renderInThread);
    await template.#read();
    return template;
  }

  /** Throws ServiceError 5001 (template or value refused) or 5003 (no rule for the blocked map). */
  async render(input: RenderInput): Promise<RenderedConfiguration> {
    return renderConfiguration(await this.#read(), this.name, input, this.#engine);
  }
}

async function readTemplate(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const output = `the template ${path} cannot be read: ${why}`;
    throw new ServiceError(5001, 'render configuration', `The template could not be rendered: ${output}`, {
      cause,
      members: { output },
    });
  }
}
