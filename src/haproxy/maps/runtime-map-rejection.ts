export class RuntimeMapRejection extends Error {
  override readonly name = 'RuntimeMapRejection';
  readonly command: string;
  /** All bodies up to and including the rejection. */
  readonly responses: readonly string[];
  /** The worker listed its maps, without this one. */
  readonly mapIsNotLoaded: boolean;

  /** @param notLoaded the file of a map that the worker did not list; null: another failure */
  constructor(command: string, responses: readonly string[], why = 'was rejected', notLoaded: string | null = null) {
    const shown = command.slice(0, 200).trimEnd();
    super(
      notLoaded === null
        ? `${shown} ${why}: ${JSON.stringify(responses.at(-1)?.slice(0, 300) ?? '')}`
        : `it has not loaded ${notLoaded}, as no rule of its configuration names it`,
    );
    this.command = shown;
    this.responses = responses;
    this.mapIsNotLoaded = notLoaded !== null;
  }
}
