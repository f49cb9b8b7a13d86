import { hash } from "node:crypto";

/** A file as it is put into a place: its bytes, their SHA-256 in hexadecimal digits, and its media type. */
export type PlacedFile = { data: Buffer; sha256: string; type: string };

/** A small file with a text in JSON. */
export function jsonFile(content: object): PlacedFile {
  const data = Buffer.from(`${JSON.stringify(content, null, 2)}\n`);
  return { data, sha256: hash("sha256", data, "hex"), type: "application/json" };
}

/** A place that takes files. Each has a path below the place, with `/` between its parts. */
export type OpenPlace = {
  /** Puts a file where it belongs, in place of one that is there already. Resolves once it will stay. @throws PlaceFault */
  put(path: string, file: PlacedFile): Promise<void>;
  /** The same for a file that must not be there yet. Answers false where there is one. @throws PlaceFault */
  claim(path: string, file: PlacedFile): Promise<boolean>;
};

/** Why a place does not take a file, as a sentence for people. */
export class PlaceFault extends Error {}
