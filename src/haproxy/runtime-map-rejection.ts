// The proxy answered, and the answer is not on the command's list of good replies.

export class RuntimeMapRejection extends Error {
  override readonly name = 'RuntimeMapRejection';
  readonly command: string;
  /** All bodies up to and including the one that was no good one. */
  readonly responses: readonly string[];
  /** The worker listed its maps, and this one is not among them. */
  readonly mapIsNotLoaded: boolean;

  constructor(command: string, responses: readonly string[], why = 'was rejected', mapIsNotLoaded = false) {
    const shown = command.slice(0, 200).trimEnd();
    super(`${shown} ${why}: ${JSON.stringify(responses.at(-1)?.slice(0, 300) ?? '')}`);
    this.command = shown;
    this.responses = responses;
    this.mapIsNotLoaded = mapIsNotLoaded;
  }
}
