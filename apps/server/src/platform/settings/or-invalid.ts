import { ApiError } from "../http/contract/errors.ts";
import { SettingError } from "./setting.ts";

/** Turns a refused setting into a refusal of the request. */
export const orInvalid = <Value>(act: Promise<Value>): Promise<Value> =>
  act.catch((cause: unknown) => {
    if (cause instanceof SettingError) throw new ApiError("invalid_request", cause.message, { cause });
    throw cause;
  });
