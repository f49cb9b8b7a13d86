import type { PublicRequest, PublicRoute } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { keepAddress, readAddress } from "../../email/addresses/public.ts";
import { deadLinkPage, offPage, readerPage, resumeMail } from "../../email/feedback/public.ts";
import { parseSender } from "../../email/sender/mailbox.pure.ts";
import { logConsents, ofAddress, writeChoices } from "../choices/public.ts";
import { proofOfReader } from "./proof.ts";
import { makeReachable } from "./reachable.ts";
import { CONFIRM_WITHIN_DAYS, listed } from "./rules.ts";
import { type ConfirmationRequest, findRequestAcrossProjects } from "./store.ts";
import { confirmationSigner } from "./token.ts";

type Confirming = ConfirmationRequest & { requestId: string; address: string; senderName: string };

/** The request of a link that still works; null for any other. */
async function readRequest(app: App, { params, now }: PublicRequest): Promise<Confirming | null> {
  const requestId = app.get(confirmationSigner).read(params.token ?? "");
  if (requestId === null) return null;
  const found = await findRequestAcrossProjects(app.database.kysely, requestId);
  if (found === null || found.address === null || now - found.requestedAt > CONFIRM_WITHIN_DAYS * DAY_MS)
    return null;
  const topics = found.topics.filter(({ isActive }) => isActive);
  if (topics.length === 0) return null;
  const from = parseSender(found.sender ?? "");
  const senderName = from?.name ?? from?.address ?? found.projectName;
  return { ...found, requestId, address: found.address, topics, senderName };
}

const namesOf = ({ topics }: Confirming): string => listed(topics.map(({ name }) => name));

const donePage = (confirming: Confirming) =>
  readerPage(200, {
    title: "You are subscribed",
    text: [`${confirming.senderName} sends email about ${namesOf(confirming)} to ${confirming.address}.`],
    soft: "Every such email has a link to unsubscribe. You may close this page.",
  });

/** Shows a page with a button, and changes nothing: scanners follow links. */
const askConfirmation: PublicRoute = {
  method: "GET",
  path: "/e/{token}/confirm",
  async respond(app, request) {
    const confirming = await readRequest(app, request);
    if (confirming === null) return deadLinkPage();
    if (confirming.isConfirmed) return donePage(confirming);
    return readerPage(
      200,
      {
        title: `Get ${namesOf(confirming)}?`,
        text: [
          `Press the button, and ${confirming.senderName} sends email about ${namesOf(confirming)} to ${confirming.address}.`,
        ],
      },
      { actions: [{ to: "confirm", label: "Yes, I want it" }] },
    );
  },
};

/** Confirms a request, once: who has left since is not joined again by an old link. Says whether mail may go to the address. */
async function confirmRequest(app: App, request: PublicRequest, confirming: Confirming): Promise<boolean> {
  const { projectId, requestId, lane, addressKey, address, topics, source, formHash } = confirming;
  return app.database.kysely.transaction().execute(async (tx) => {
    await keepAddress(tx, projectId, { lane, addressKey }, address);
    // Read again behind the lock: the button may have been pressed twice at once.
    const current = await findRequestAcrossProjects(tx, requestId);
    if (current === null || current.isConfirmed) return current !== null;
    const known = await readAddress(tx, projectId, { lane, addressKey }, 0);
    const proof = await proofOfReader(tx, projectId, request, "confirmation");
    if (known?.isSuppressed && !(await resumeMail(tx, projectId, { lane, addressKey }, proof))) return false;
    const chooser = ofAddress({ lane, addressKey });
    await writeChoices(
      tx,
      projectId,
      chooser,
      topics.map(({ id }) => ({ topicId: id, isIn: true })),
      request.now,
    );
    const acts = topics.map(({ id }) => ({ topicId: id, action: "confirmed" as const }));
    await logConsents(tx, projectId, chooser, acts, { ...proof, source, formHash, requestId });
    return true;
  });
}

const confirm: PublicRoute = {
  method: "POST",
  path: "/e/{token}/confirm",
  async respond(app, request) {
    const confirming = await readRequest(app, request);
    if (confirming === null) return deadLinkPage();
    // The guest comes first: without the choice no campaign reaches them, and the button may be pressed again.
    await makeReachable(app, confirming.projectId, confirming.address, request.now);
    return (await confirmRequest(app, request, confirming))
      ? donePage(confirming)
      : offPage(confirming.senderName);
  },
};

export const confirmRoutes: readonly PublicRoute[] = [askConfirmation, confirm];
