// While `attach` waits for the pasted lines: what each edit of the configuration changed, and what is still missing.
import { type FrontEnd, missingRuleText } from '../configuration/rules/front-ends.ts';
import { type ProxySection, proxySections, settingsOf } from '../configuration/rules/proxy-sections.ts';
import type { Facts } from './facts.ts';
import { ruleText, withoutRule } from './report.ts';
import { type Maps, ruleAcl } from './texts.ts';

type Configuration = Pick<Facts, 'frontEnds' | 'texts'>;

export class WaitingReport {
  readonly #maps: Maps;
  readonly #open: readonly string[];
  readonly #lastMistakes = new Map<string, string | null>();
  #lacking: readonly FrontEnd[] = [];

  constructor(maps: Maps, open: readonly string[]) {
    this.#maps = maps;
    this.#open = open;
  }

  /** What changed since the last call. */
  next({ frontEnds, texts }: Configuration): string[] {
    const left = withoutRule(frontEnds, this.#open);
    const lines = this.#lacking.flatMap(({ name, answersBefore }) => {
      const still = left.find((one) => one.name === name);
      if (still === undefined) {
        const now = frontEnds.find((one) => one.name === name);
        return [now?.hasRule === true ? `${name} ${ruleText(now)}` : `${name} is gone`];
      }
      return still.answersBefore === answersBefore ? [] : [`${name} has ${missingRuleText(still.answersBefore)}`];
    });
    const isFewer = left.length < this.#lacking.length;
    this.#lacking = left;
    lines.push(...this.#newMistakes(texts));
    if (isFewer && left.length > 0) lines.push(this.#stillMissing());
    return lines;
  }

  #newMistakes(texts: Facts['texts']): string[] {
    const sections = proxySections(texts);
    return this.#lacking.flatMap(({ name, place }) => {
      const section = sections.find((one) => one.place === place);
      const mistake = section === undefined ? null : mistakeIn(section, this.#maps);
      const isNew = mistake !== this.#lastMistakes.get(name);
      this.#lastMistakes.set(name, mistake);
      return isNew && mistake !== null ? [`${name}: ${mistake}`] : [];
    });
  }

  #stillMissing(): string {
    const names = this.#lacking.map(({ name }) => name);
    const [one, example] = names.length === 1 ? ['it', names[0]] : ['one', 'NAME'];
    // --open replaces the names of the previous run.
    const open = [...this.#open, example].join(',');
    return `Still missing: ${names.join(', ')}. To leave ${one} open: Ctrl-C, then proxy-manager attach --open ${open}`;
  }
}

/** Null: none of the lines is there, or they are right in themselves. */
function mistakeIn(section: ProxySection, { blockedMap }: Maps): string | null {
  const lines = settingsOf(section, 'acl', 'http-request', 'tcp-request').filter(({ words }) =>
    words.some((word) => word === ruleAcl || word.includes(blockedMap)),
  );
  const acl = lines.find(({ words }) => words[0] === 'acl');
  const ruleLine = lines.find(({ words }) => words[0] !== 'acl');
  if (ruleLine === undefined)
    return acl === undefined ? null : `${acl.place} names the list, but the second line is missing`;
  if (section.mode === 'tcp' && ruleLine.words[0] === 'http-request')
    return `${ruleLine.place} names the list, but http-request has no effect in mode tcp: replace it by the tcp-request line above`;
  const isLost = acl === undefined && ruleLine.words.includes(ruleAcl);
  return isLost ? `${ruleLine.place} uses ${ruleAcl}, but the acl line is missing` : null;
}
