import { uuidOf } from "../../../domain/ids.ts";
import { isOurOrigin, otherPage } from "../../../platform/http/admission/same-origin.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import type { PersonRole } from "../../../platform/http/contract/person.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { allows, demoAccess } from "../entry.ts";
import { findShopAcrossProjects } from "../store.ts";
import { beginAgain } from "./open-experiment.ts";
import { playNextDay } from "./play.ts";
import { tellStory } from "./view.ts";

async function answer(app: App): Promise<PublicAnswer> {
  const story = await tellStory(app);
  return {
    status: 200,
    contentType: "application/json; charset=utf-8",
    headers: { "cache-control": "no-store", "cross-origin-resource-policy": "same-origin" },
    body: JSON.stringify(story),
  };
}

/**
 * Nothing of the experiment is there where the shop is not, or where more than this machine reaches the server.
 * @throws ApiError as `demoAccess`, and forbidden for a person who has not that role in the shop's project
 */
export async function assertMayWatch(app: App, request: PublicRequest, role: PersonRole): Promise<void> {
  if (!app.config.demo) throw new ApiError("not_found");
  const entry = await demoAccess(app, request);
  const shop = await findShopAcrossProjects(app.database.kysely);
  if (!allows(entry, shop?.projectId ?? null, role))
    throw new ApiError("forbidden", `This takes the role ${role} in the project of the demo.`);
}

/** A page of another site may not press a button here. Browsers say in Origin which page sends a POST; programs send none. */
function assertOwnPage({ headers }: PublicRequest, publicUrl: string): void {
  if (headers.origin !== undefined && !isOurOrigin({ headers }, publicUrl))
    throw otherPage({ headers }, publicUrl, "Pages of other origins may not do this.");
}

const story: PublicRoute = {
  method: "GET",
  path: "/demo/agent/story",
  async respond(app, request) {
    await assertMayWatch(app, request, "viewer");
    return answer(app);
  },
};

/** What the buttons do: a change, answered with the story after it. */
const press = (
  path: PublicRoute["path"],
  act: (app: App, request: PublicRequest) => Promise<void>,
): PublicRoute => ({
  method: "POST",
  path,
  async respond(app, request) {
    await assertMayWatch(app, request, "editor");
    assertOwnPage(request, app.publicUrl());
    await act(app, request);
    return answer(app);
  },
});

const nextDay = press("/demo/agent/days", playNextDay);

const again = press("/demo/agent/again/{campaignId}", async (app, { params }) => {
  const campaignId = uuidOf("cmp", params.campaignId ?? "");
  if (campaignId === null) throw new ApiError("not_found");
  await beginAgain(app, campaignId);
});

/** What the page of the experiment reads and does. */
export const experimentRoutes: readonly PublicRoute[] = [story, nextDay, again];
