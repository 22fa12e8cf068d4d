const SHOWN = 5;

interface Problems {
  /** Why nothing could be checked; null: it could. */
  readonly unchecked: string | null;
  /** By path, why it could not be written. */
  readonly unwritten: readonly (readonly [path: string, why: string])[];
  /** By path, why the file of a removed certificate is still there. */
  readonly undeleted: readonly (readonly [path: string, why: string])[];
  /** By id, what HAProxy said. */
  readonly refused: ReadonlyMap<string, string>;
  /** By id, why its key cannot be read. */
  readonly unreadable: ReadonlyMap<string, string>;
}

/** What is wrong with the files of certificates, each as a sentence for `/health`: a few of thousands. */
export function fileProblems({ unchecked, unwritten, undeleted, refused, unreadable }: Problems): readonly string[] {
  return [
    ...(unchecked === null ? [] : [`the files of certificates could not be checked: ${unchecked}`]),
    ...unwritten.slice(0, SHOWN).map(([path, why]) => `${path} could not be written: ${why}`),
    ...more(unwritten.length, (left) => `${left} more files of certificates could not be written`),
    ...undeleted
      .slice(0, SHOWN)
      .map(([path, why]) => `${path}, which has the key of a removed certificate, could not be deleted: ${why}`),
    ...more(undeleted.length, (left) => `${left} more files of removed certificates could not be deleted`),
    ...[...refused]
      .slice(0, SHOWN)
      .map(
        ([id, why]) =>
          `HAProxy refuses certificate ${id}, and serves the default certificate after a reload instead (${why}): replace it`,
      ),
    ...more(refused.size, (left) => `HAProxy refuses ${left} more certificates`),
    ...unreadableProblems(unreadable),
  ];
}

function more(all: number, text: (left: number) => string): readonly string[] {
  return all > SHOWN ? [text(all - SHOWN)] : [];
}

function unreadableProblems(unreadable: ReadonlyMap<string, string>): readonly string[] {
  const [first] = unreadable;
  if (first === undefined) return [];
  const [id, why] = first;
  const others = unreadable.size - 1;
  return [`certificate ${id}${others > 0 ? ` and ${others} more are` : ' is'} served from the file alone: ${why}`];
}
