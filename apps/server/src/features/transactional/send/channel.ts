import { setImmediate } from "node:timers/promises";
import { deliveryId, deliveryText } from "../../../domain/ids.ts";
import type { App } from "../../../platform/runtime.ts";
import {
  explainRefusal,
  type FilledReceipt,
  fillReceipt,
  signDkim,
  writeReceipt,
} from "../../content/email/public.ts";
import { readTemplateUser } from "../../content/template/public.ts";
import { providerHeaders } from "../../email/sending/provider-headers.pure.ts";
import { type EmailContent, type LeasedSend, linkSigner, mailChannel } from "../../email/sending/public.ts";
import type { OwnContent, StoredFile, StoredRequest } from "../request.pure.ts";
import { openRequest } from "../sealing.ts";
import { readSendData, readSendFiles } from "../store.ts";

/** What one mail is written from. `version`: of the content of its template. `counts`: whether its opens and clicks may be counted. */
type Filled = {
  version: number;
  content: FilledReceipt | OwnContent;
  request: StoredRequest;
  files: readonly StoredFile[];
  counts: boolean;
};

const GONE = "what it was filled with is not kept any more";
const WRONG_KEY = "what it was filled with was sealed with another SECRET_KEY";
const NO_FILES = "its files are not kept any more";

/** Fills the template of a mail with its data, or says why that is not possible. */
function contentOf(
  { message }: EmailContent,
  { own, data }: StoredRequest,
  { externalId, traits, serverTraits }: LeasedSend,
): FilledReceipt | OwnContent | { fault: string } {
  if (own !== null) return own;
  const user = readTemplateUser({ externalId, traits: traits ?? {}, serverTraits });
  const filled = fillReceipt(message, { data, user });
  return "subject" in filled ? filled : { fault: explainRefusal(filled).message };
}

type Data = Awaited<ReturnType<typeof readSendData>>[number];

async function fill(
  app: App,
  leased: LeasedSend,
  content: EmailContent | undefined,
  data: Data | undefined,
): Promise<Filled | "outdated" | { fault: string }> {
  if (data === undefined || (data.request === null && data.sealed === null)) return { fault: GONE };
  // The variant was added after this turn read the contents.
  if (content === undefined) return "outdated";
  const { projectId } = leased;
  const sealed = data.sealed === null ? null : openRequest(app, projectId, leased, data.sealed);
  const request = data.request ?? sealed?.request;
  if (request == null) return { fault: WRONG_KEY };
  const files =
    sealed?.files ?? (request.files === 0 ? [] : await readSendFiles(app.database.kysely, projectId, leased));
  if (files.length < request.files) return { fault: NO_FILES };
  const filled = contentOf(content, request, leased);
  if ("fault" in filled) return filled;
  return { version: content.version, content: filled, request, files, counts: sealed === null };
}

/** Transactional mail, each of which is filled with the data of its request. It has connections and a pace of its own. */
export const receiptChannel = mailChannel<Filled>({
  name: "receipts",
  purpose: "transactional",
  async fill(app, leased, contents) {
    const [first] = leased;
    const data = await readSendData(app.database.kysely, first?.projectId ?? "", leased);
    const dataOf = new Map(data.map((each) => [deliveryText(each), each]));
    const filled: (Filled | "outdated" | { fault: string })[] = [];
    for (const send of leased) {
      // Filling a long template takes milliseconds, so others get a turn in between.
      await setImmediate();
      filled.push(await fill(app, send, contents.get(send.variantId), dataOf.get(deliveryText(send))));
    }
    return filled;
  },
  async write(app, sender, leased, { content, request, files, counts }) {
    const signer = app.get(linkSigner);
    const { options, from, settings, dkim } = sender;
    const raw = writeReceipt(
      content,
      {
        ...options,
        from: request.from ?? { name: from.name, address: from.address },
        track: counts ? options.track : { opens: false, clicks: false },
        headers: providerHeaders(settings["email.provider"], deliveryId(leased)),
        signTarget: (url) => signer.signTarget(leased.campaignId, url),
      },
      {
        address: leased.address,
        name: request.name,
        // Without any the mail shows its recipient, by name.
        ...(request.to.length === 0 ? {} : { shownTo: request.to }),
        shownCc: request.cc,
        replyTo: request.replyTo,
        token: signer.token(leased, "link"),
        messageId: `${signer.token(leased, "message")}@${from.domain}`,
        sentAt: app.clock(),
        headers: request.headers,
        attachments: files,
      },
    );
    return dkim === null ? raw : signDkim(raw, dkim);
  },
});
