import { type ConfigLine, configLines } from './config-lines.ts';

export interface ConfigurationFile {
  readonly path: string;
  readonly text: string;
}

export interface SectionLine extends Pick<ConfigLine, 'words' | 'certainWords'> {
  /** `FILE:LINE`. */
  readonly place: string;
  /** Whether HAProxy reads it, and in this section, depends on an `.if` or on its environment. */
  readonly conditional: boolean;
}

/** For everything that depends on an `.if` or on the environment. */
export const unknown = 'unknown';

export interface ProxySection {
  readonly kind: SectionKind;
  readonly name: string;
  readonly place: string;
  readonly lines: readonly SectionLine[];
  /** The defaults section that applies; null: none. */
  readonly defaults: ProxySection | null | typeof unknown;
  /** The section's own, else that of its defaults, else `tcp`. */
  readonly mode: string;
}

type SectionKind = (typeof sectionKinds)[number];

const sectionKinds = ['global', 'defaults', 'frontend', 'listen', 'backend'] as const;

/**
 * The proxy sections of files that HAProxy reads as one configuration, with their lines and defaults. A section ends at
 * the end of its file.
 */
export function proxySections(files: readonly ConfigurationFile[]): ProxySection[] {
  const reader = new SectionReader();
  for (const file of files) reader.read(file);
  return reader.sections;
}

/** The lines that begin with one of these words: inherited from defaults, then its own. */
export function settingsOf({ defaults, lines }: ProxySection, ...keywords: readonly string[]): SectionLine[] {
  const inherited = defaults === null || defaults === unknown ? [] : settingsOf(defaults, ...keywords);
  return [...inherited, ...lines.filter(({ words }) => keywords.includes(words[0] ?? ''))];
}

/** The sections to which a line may belong: one, except behind an `.if` in which another section may have begun. */
type Targets = readonly SectionLine[][];

interface Branches {
  readonly before: Targets;
  readonly ends: Targets[];
}

class SectionReader {
  readonly sections: ProxySection[] = [];
  readonly #named = new Map<string, ProxySection | typeof unknown>();
  #lastDefaults: ProxySection['defaults'] = null;
  #targets: Targets = [];
  #open: Branches[] = [];
  /** After a first word from the environment, which may even be `.if`. Until the end of the file. */
  #lost = false;

  read({ path, text }: ConfigurationFile): void {
    this.#targets = [];
    this.#open = [];
    this.#lost = false;
    for (const line of configLines(text)) {
      if (line.certainWords === 0) this.#lose();
      if (line.words[0]?.startsWith('.')) this.#branch(line.words[0]);
      else this.#read(line, `${path}:${line.number}`);
    }
  }

  #lose(): void {
    this.#lost = true;
    this.#lastDefaults = unknown;
    for (const name of this.#named.keys()) this.#named.set(name, unknown);
  }

  #branch(keyword: string): void {
    const open = this.#open.at(-1);
    if (keyword === '.if') this.#open.push({ before: this.#targets, ends: [] });
    else if (open !== undefined && ['.elif', '.else', '.endif'].includes(keyword)) {
      open.ends.push(this.#targets);
      this.#targets = open.before;
      if (keyword !== '.endif') return;
      this.#targets = [...new Set([...open.before, ...open.ends.flat()])];
      this.#open.pop();
    }
  }

  #read(line: ConfigLine, place: string): void {
    const { words, certainWords } = line;
    const conditional = line.conditional || this.#lost;
    if (words[0] === line.section) {
      const begun = this.#begin(line, place, conditional);
      this.#targets = this.#lost ? [...this.#targets, ...begun] : begun;
      return;
    }
    const read = { words, certainWords, place, conditional: conditional || this.#targets.length > 1 };
    for (const lines of this.#targets) lines.push(read);
  }

  /** Where the lines of the new section go; empty for a section of another kind. */
  #begin({ words, certainWords }: ConfigLine, place: string, conditional: boolean): Targets {
    const kind = sectionKinds.find((one) => one === words[0]);
    if (kind === undefined) return [];
    const lines: SectionLine[] = [];
    const named = kind !== 'global' && words[1] !== 'from';
    const from = words[named ? 2 : 1] === 'from' ? words[named ? 3 : 2] : undefined;
    const certain = certainWords === words.length;
    const defaults = certain ? this.#defaultsOf(kind, from) : unknown;
    const section = sectionOf({ kind, name: named ? (words[1] ?? '') : '', place, lines, defaults });
    this.sections.push(section);
    if (kind === 'defaults') this.#noteDefaults(section, certain && !conditional);
    return [lines];
  }

  #defaultsOf(kind: SectionKind, from: string | undefined): ProxySection['defaults'] {
    if (kind === 'global') return null;
    if (from !== undefined) return this.#named.get(from) ?? unknown;
    // A defaults section inherits from another one only by name.
    return kind === 'defaults' ? null : this.#lastDefaults;
  }

  #noteDefaults(section: ProxySection, certain: boolean): void {
    this.#lastDefaults = certain ? section : unknown;
    this.#named.set(section.name, certain ? section : unknown);
  }
}

/** Its lines, and so its mode, are complete only at the end of the files. */
function sectionOf(section: Omit<ProxySection, 'mode'>): ProxySection {
  return {
    ...section,
    get mode() {
      const { defaults, lines } = section;
      let mode = defaults === null ? 'tcp' : defaults === unknown ? unknown : defaults.mode;
      for (const line of lines) if (line.words[0] === 'mode') mode = certainWord(line, 1) ?? unknown;
      return mode;
    },
  };
}

/** Null: the word depends on an `.if` or on the environment. */
function certainWord({ words, certainWords, conditional }: SectionLine, index: number): string | null {
  return conditional || certainWords <= index ? null : (words[index] ?? null);
}
