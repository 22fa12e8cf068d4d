// What the command line knows of the process it runs in. Tests bring their own.

export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** null: there is none. */
  readonly homeFolder: string | null;
  readonly stdin: NodeJS.ReadableStream & AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly now: () => Date;
  /** Ends the program at once. */
  readonly end: (exitCode: number) => void;
}
