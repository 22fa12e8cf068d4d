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
  /** Whether there is a file of it. */
  readonly hasFile: (id: string) => boolean;
  /** Paths of files with certificates that are newer than the database was. */
  readonly newer: readonly string[];
}

/** What is wrong with the files of certificates, each as a sentence for `/health`: a few of thousands. */
export function fileProblems({
  unchecked,
  unwritten,
  undeleted,
  refused,
  unreadable,
  hasFile,
  newer,
}: Problems): readonly string[] {
  const served = [...unreadable].filter(([id]) => hasFile(id));
  const lost = [...unreadable].filter(([id]) => !hasFile(id));
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
          `HAProxy refuses certificate ${id}, so from a reload on its clients get the default certificate: replace it (${why})`,
      ),
    ...more(refused.size, (left) => `HAProxy refuses ${left} more certificates`),
    ...ofAll(served, (ids, are) => `${ids} ${are} served from the file alone`),
    ...ofAll(lost, (ids, are) => `${ids} ${are} not served, as there is no file`),
    ...newer
      .slice(0, SHOWN)
      .map(
        (path) =>
          `${path} keeps a certificate that the database did not have, perhaps with the only copy of its key: upload it if it is needed, and delete the file`,
      ),
    ...more(newer.length, (left) => `${left} more files *.newer keep certificates that the database did not have`),
  ];
}

function more(all: number, text: (left: number) => string): readonly string[] {
  return all > SHOWN ? [text(all - SHOWN)] : [];
}

/** The first is named, with its reason. */
function ofAll(
  unreadable: readonly (readonly [id: string, why: string])[],
  text: (ids: string, are: 'is' | 'are') => string,
): readonly string[] {
  const [first, ...others] = unreadable;
  if (first === undefined) return [];
  const [id, why] = first;
  const shown =
    others.length === 0 ? text(`certificate ${id}`, 'is') : text(`certificate ${id} and ${others.length} more`, 'are');
  return [`${shown}: ${why}`];
}
