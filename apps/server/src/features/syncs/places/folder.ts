import { mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { diskFaultOf } from "../../../platform/files/disk-fault.ts";
import { flush } from "../../../platform/files/flush.ts";
import { type OpenPlace, PlaceFault } from "./place.ts";

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? "";

const faultOf = (cause: unknown): PlaceFault => new PlaceFault(diskFaultOf(cause), { cause });

async function write(path: string, data: Buffer, flags: "w" | "wx"): Promise<void> {
  const file = await open(path, flags, 0o640);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A folder of this machine. A file is there whole or not: it is written under another name first. */
export const openFolder = (root: string): OpenPlace => ({
  async put(path, { data }) {
    const target = join(root, path);
    const folder = dirname(target);
    try {
      await mkdir(folder, { recursive: true });
      await write(`${target}.part`, data, "w");
      await rename(`${target}.part`, target);
      await flush(folder);
    } catch (cause) {
      throw faultOf(cause);
    }
  },
  async claim(path, { data }) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true }).catch((cause: unknown) => {
      throw faultOf(cause);
    });
    try {
      await write(target, data, "wx");
      return true;
    } catch (cause) {
      if (codeOf(cause) === "EEXIST") return false;
      throw faultOf(cause);
    }
  },
});
