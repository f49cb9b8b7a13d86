import { uuidOf } from "../../../domain/ids.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../../platform/http/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { assertOnlyHere, assertOwnPage } from "../only-here.ts";
import { beginAgain } from "./open-experiment.ts";
import { playNextDay } from "./play.ts";
import { tellStory } from "./view.ts";

const WHAT = "the experiment of the demo shop";

async function answer(app: App): Promise<PublicAnswer> {
  const story = await tellStory(app);
  return {
    status: 200,
    contentType: "application/json; charset=utf-8",
    headers: { "cache-control": "no-store", "cross-origin-resource-policy": "same-origin" },
    body: JSON.stringify(story),
  };
}

/** Nothing of the experiment is there where the shop is not, or where more than this machine reaches the server. */
const assertThere = ({ config }: App): void => {
  if (!config.demo) throw new ApiError("not_found");
};

const story: PublicRoute = {
  method: "GET",
  path: "/demo/agent/story",
  async respond(app, request) {
    assertThere(app);
    assertOnlyHere(app, request, WHAT);
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
    assertThere(app);
    assertOwnPage(app, request, WHAT);
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
