import { KIB } from "../../platform/http/contract/endpoint.ts";
import type { Gateway } from "../../platform/http/gateway.ts";

const MIB = 1_024 * KIB;

/** The library is loaded with the first request: that takes an eighth of a second, which most processes never need. */
const opener =
  (which: { readsOnly: boolean }): Gateway["open"] =>
  (app, endpoints) => {
    let opening: Promise<ReturnType<Gateway["open"]>> | null = null;
    return async (request) => {
      opening ??= import("./serve.ts").then(({ openMcp }) => openMcp(app, endpoints, which));
      const respond = await opening;
      return respond(request);
    };
  };

/** The arguments of a call: what is wrong with them is a result of the tool, which the model reads. */
const judgedApart: Gateway["judgedApart"] = ([params, args]) =>
  params === "params" && args === "arguments" ? 2 : null;

/** All tools, for the secret key. Bodies are as large as an image in base64. */
export const all: Gateway = {
  path: "/mcp",
  keys: ["secret"],
  bodyLimit: 6 * MIB,
  judgedApart,
  open: opener({ readsOnly: false }),
};

/** The tools that change nothing, for the agent key too. */
export const reads: Gateway = {
  path: "/mcp/readonly",
  keys: ["secret", "agent"],
  bodyLimit: MIB,
  judgedApart,
  open: opener({ readsOnly: true }),
};
