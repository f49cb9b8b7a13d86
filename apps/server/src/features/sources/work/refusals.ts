import { ApiError } from "../../../platform/http/contract/errors.ts";

type Code = "forbidden" | "conflict" | "unavailable";

/** A refusal that may pass: `retryAfterMs` is when it makes sense to ask again. */
export const later = (code: Code, message: string, retryAfterMs: number): ApiError =>
  new ApiError(code, message, { fields: { retryAfterMs: Math.max(0, Math.ceil(retryAfterMs)) } });

/** A refusal of source work by the rules of campaigns, without the fields that their own operations have. */
export const plain = ({ code, message, fields }: ApiError): ApiError => {
  const { retryAfterMs } = fields;
  return new ApiError(code, message, retryAfterMs === undefined ? {} : { fields: { retryAfterMs } });
};
