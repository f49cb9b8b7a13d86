import { useSyncExternalStore } from "react";
import { clientAt, isFinal, isRefused } from "../../platform/client.ts";
import { placeOfPart, sendingOrder } from "./upload-parts.pure.ts";

/** How far a file is sent. cut: the server could not be reached, again and again. refused: it takes none of it. */
export type FileUpload = {
  bytes: number;
  sent: number;
  state: "running" | "done" | "cut" | "refused";
  error: unknown;
};

/** A file that is sent, and the parts of it that the server has. */
type Sending = { scope: string; id: string; file: File; parts: readonly number[] };

const AT_ONCE = 3;
const [FIRST_WAIT_MS, TRIES] = [1_000, 6] as const;

/** Files go on while a person looks at other pages, so they belong to none of them. */
const uploads = new Map<string, FileUpload>();
const sendings = new Map<string, Sending>();
const watchers = new Set<() => void>();

const isRunning = (): boolean => [...uploads.values()].some(({ state }) => state === "running");

/** The browser asks before the page closes in the middle of an upload. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

function put(id: string, upload: FileUpload): void {
  uploads.set(id, upload);
  removeEventListener("beforeunload", warn);
  if (isRunning()) addEventListener("beforeunload", warn);
  for (const watcher of watchers) watcher();
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a part; what is lost on the way is sent again, later each time. */
async function sendPart({ scope, id, file }: Sending, n: number): Promise<void> {
  const { from, to } = placeOfPart(n, file.size);
  for (let tries = 1; ; tries++) {
    try {
      await clientAt(scope).uploadImportPart({ path: { id, n }, file: file.slice(from, to) });
      return;
    } catch (error) {
      if (isFinal(error) || tries >= TRIES) throw error;
      await wait(FIRST_WAIT_MS * 2 ** (tries - 1));
    }
  }
}

/** Sends the parts of a file that are missing, three at a time. What came of it is the upload of the import. */
async function send(sending: Sending): Promise<void> {
  const { id, file, parts } = sending;
  const bytes = file.size;
  const arrived = new Set(parts);
  const report = (state: FileUpload["state"], error: unknown = null): void => {
    const sizes = [...arrived].map((n) => placeOfPart(n, bytes)).map(({ from, to }) => to - from);
    put(id, { bytes, sent: sizes.reduce((sum, size) => sum + size, 0), state, error });
  };
  const { before, others } = sendingOrder(bytes, parts);
  const left = [...others];
  const sendOne = async (n: number): Promise<void> => {
    await sendPart(sending, n);
    arrived.add(n);
    sendings.set(id, { ...sending, parts: [...arrived].toSorted((one, other) => one - other) });
    report("running");
  };
  const walk = async (): Promise<void> => {
    for (let n = left.shift(); n !== undefined; n = left.shift()) await sendOne(n);
  };
  try {
    report("running");
    for (const n of before) await sendOne(n);
    await Promise.all(Array.from({ length: AT_ONCE }, walk));
    sendings.delete(id);
    report("done");
  } catch (error) {
    // The others would go on with what will not be whole.
    left.length = 0;
    report(isFinal(error) ? "refused" : "cut", error);
  }
}

/** Begins to send a file, or goes on with it. An upload that runs already stays the one that there is. */
export function beginUpload(sending: Sending): void {
  if (uploads.get(sending.id)?.state !== "running") void send(sending);
}

/** Goes on with an upload that was cut, while this page still has the file. */
export function resumeUpload(id: string): void {
  const sending = sendings.get(id);
  if (sending !== undefined) beginUpload(sending);
}

/** Whether a refusal says that a part is there with other bytes: it was another file. */
export const isOtherFile = (error: unknown): boolean =>
  isRefused(error, 409) &&
  typeof error.body === "object" &&
  error.body !== null &&
  "reason" in error.body &&
  error.body.reason === "part_differs";

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** The upload of an import in this window; null where there is none. */
export const useUpload = (id: string): FileUpload | null =>
  useSyncExternalStore(subscribe, () => uploads.get(id) ?? null);

const MOST_HASHED_BYTES = 64 * 1_024 * 1_024;

/** The SHA-256 of a file in hex; null of a large one, which browsers cannot compute piece by piece, and where a page has no https. */
export async function digestOfFile(file: File): Promise<string | null> {
  if (file.size > MOST_HASHED_BYTES || globalThis.crypto.subtle === undefined) return null;
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
