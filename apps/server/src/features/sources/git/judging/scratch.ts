import { bytesIn } from "../mirror.ts";

/** Its size is looked at after so many trials: to look takes as long as a trial. */
const LOOKED_AT_EVERY = 20;
const MOST_BYTES = 256 * 1_024 * 1_024;

/** The folder in which git writes what trials of merges make. What each of them writes follows from the commits of the repository. */
export class Scratch {
  readonly #folder: string;
  readonly #most: number;
  #trials = 0;
  #isFull = false;

  constructor(folder: string, mostBytes = MOST_BYTES) {
    this.#folder = folder;
    this.#most = mostBytes;
  }

  /** Whether there is room for one more trial, which is counted. */
  async hasRoom(): Promise<boolean> {
    if (!this.#isFull && this.#trials++ % LOOKED_AT_EVERY === 0)
      this.#isFull = (await bytesIn(this.#folder)) > this.#most;
    return !this.#isFull;
  }
}
