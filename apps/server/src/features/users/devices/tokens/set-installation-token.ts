import { type Ctx, endpoint, KIB } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { changeInstallation } from "../change.ts";
import { replaceToken, type State } from "../rules.ts";
import { InstallationAnswer, installationPath, TokenBody } from "../schema.ts";
import { readSubscription, subscriptionText } from "./subscription.ts";
import { tokenRefOf } from "./token-ref-of.ts";
import { exchangeToken } from "./token-store.ts";

/** A token as it is stored. @throws ApiError invalid_request where a browser's is no subscription that may be sent to */
function storedToken(ctx: Ctx, { platform }: State, token: string): string {
  if (platform !== "web") return token;
  const read = readSubscription(token, ctx.app.config.webpushHosts);
  if ("fault" in read) throw new ApiError("invalid_request", `token ${read.fault}`);
  return subscriptionText(read.subscription);
}

export const setInstallationToken = endpoint(
  {
    id: "setInstallationToken",
    method: "PUT",
    path: "/api/v1/sdk/installations/{installationId}/token",
    tag: "Installations",
    summary: "Put or remove the push token",
    description:
      "`tokenRevision` is the installation's; another token raises it, and null removes the token. The token of a browser is its subscription as JSON, at a push service that may be sent to. A token is had by one installation: the one that had it before has none from then on, which changes nothing else about it.",
    keys: ["publishable"],
    budget: "installations",
    needsCapability: true,
    params: installationPath,
    bodyLimit: 256 * KIB,
    body: TokenBody,
    example: {
      requestId: "change-3",
      bindingGeneration: 0,
      revision: 0,
      tokenRevision: 0,
      token: "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad",
    },
    result: InstallationAnswer,
    refusals: "strict",
    errors: ["not_found", "conflict"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, request) => {
    const { projectId } = ctx;
    const { token } = request.body;
    const given = (state: State) => {
      if (token === null) return null;
      const stored = storedToken(ctx, state, token);
      return { ...tokenRefOf(projectId, state, stored), token: stored };
    };
    return changeInstallation(ctx, "setInstallationToken", request, {
      apply: (state) => replaceToken(given(state))(state),
      beside: (tx, ref, state) => exchangeToken(tx, projectId, ref, state.token, given(state)),
    });
  },
);
