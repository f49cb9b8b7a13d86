import { type DeliveryName, deliveryText } from "../../domain/ids.ts";
import type { App } from "../../platform/runtime.ts";
import { SealError } from "../../platform/secrets/secrets.ts";
import type { StoredFile, StoredRequest } from "./request.pure.ts";

/** What a sensitive mail is filled with, and its files. */
export type SealedRequest = { request: StoredRequest; files: readonly StoredFile[] };

/** A sealed request opens for its own mail alone. */
const boundTo = (projectId: string, mail: DeliveryName): string => `send ${projectId} ${deliveryText(mail)}`;

/** Seals what a sensitive mail is filled with, for storing. */
export const sealRequest = (
  { secrets }: App,
  projectId: string,
  mail: DeliveryName,
  { request, files }: SealedRequest,
): Buffer => {
  const written = files.map((file) => ({ ...file, content: file.content.toString("base64") }));
  return secrets.seal(JSON.stringify({ request, files: written }), boundTo(projectId, mail));
};

/** What was sealed for a mail; null where another SECRET_KEY has sealed it. */
export function openRequest(
  { secrets }: App,
  projectId: string,
  mail: DeliveryName,
  sealed: Buffer,
): SealedRequest | null {
  try {
    // Sealed by `sealRequest`, and so of its shape.
    const { request, files } = JSON.parse(secrets.open(sealed, boundTo(projectId, mail))) as {
      request: StoredRequest;
      files: (Omit<StoredFile, "content"> & { content: string })[];
    };
    const read = files.map((file) => ({ ...file, content: Buffer.from(file.content, "base64") }));
    return { request, files: read };
  } catch (cause) {
    if (cause instanceof SealError) return null;
    throw cause;
  }
}
