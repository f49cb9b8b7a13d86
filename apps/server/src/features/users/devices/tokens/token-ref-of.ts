import { type TokenRef, tokenRef } from "../../../../domain/ids.ts";
import { type State, tokenScope } from "../rules.ts";
import { endpointIn } from "./subscription.ts";

/**
 * The row of an installation's token. Two subscriptions with one address are one token, whatever else they say: a browser that is
 * known twice would be sent everything twice.
 */
export const tokenRefOf = (
  projectId: string,
  app: Pick<State, "appId" | "platform" | "environment">,
  token: string,
): TokenRef => tokenRef(projectId, tokenScope(app), app.platform === "web" ? endpointIn(token) : token);
