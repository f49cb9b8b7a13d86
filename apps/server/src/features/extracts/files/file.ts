/** The bytes of a file, and their SHA-256 in hexadecimal digits. */
export type FileBytes = { data: Buffer; sha256: string };

/** A file that is made in memory. `bytes` is about what its rows come to before they are compressed. */
export type TableFile<Row> = {
  readonly rows: number;
  readonly bytes: number;
  add(rows: readonly Row[]): void;
  /** The whole file. Nothing is added afterwards. */
  end(): Promise<FileBytes>;
  /** Gives up a file that has not ended; does nothing to one that has. */
  close(): void;
};
