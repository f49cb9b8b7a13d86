import { cutText } from "@tidings/client/text";
/** Every refusal the API can give: code -> HTTP status and the message when there is nothing better to say. */
export const errorRegistry = {
  invalid_request: { status: 400, message: "Invalid request" },
  unauthorized: { status: 401, message: "Unauthorized" },
  unidentified: { status: 401, message: "Could not identify user" },
  forbidden: { status: 403, message: "This key may not do that." },
  approval_required: { status: 403, message: "A person has to approve this first." },
  not_found: { status: 404, message: "Not found" },
  method_not_allowed: { status: 405, message: "Method not allowed" },
  conflict: { status: 409, message: "Conflict" },
  too_large: { status: 413, message: "Request body too large" },
  rate_limited: { status: 429, message: "Too many requests" },
  internal: { status: 500, message: "Internal server error" },
  user_upsert_failed: { status: 500, message: "Could not identify user" },
  managed_only: { status: 501, message: "This operation is available on a managed deployment only." },
  unavailable: { status: 503, message: "The service is not available right now; try again." },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorRegistry;

/** Characters (code points) of `error` where refusals are strict. */
export const MAX_STRICT_ERROR = 256;

/** The statuses at which refusals of source work have a shape of their own. */
export const SOURCE_STATUSES: ReadonlySet<number> = new Set([400, 403, 404, 409, 503]);

type ApiErrorOptions = {
  /** Further fields of the body, where an operation documents them. */
  fields?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  /** What happened inside; logged, never sent. */
  cause?: unknown;
  /** The request may have had its effect nevertheless, so a repeat with its Idempotency-Key gets this refusal again. */
  mayHaveHappened?: true;
};

/** A refusal. Its message is public and says what to do. Body: `{error}`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly mayHaveHappened: boolean;

  constructor(code: ErrorCode, message?: string, options: ApiErrorOptions = {}) {
    super(message ?? errorRegistry[code].message, { cause: options.cause });
    this.code = code;
    this.status = errorRegistry[code].status;
    this.fields = options.fields ?? {};
    this.headers = options.headers ?? {};
    this.mayHaveHappened = options.mayHaveHappened ?? false;
  }

  body(): Record<string, unknown> {
    return { error: this.message, ...this.fields };
  }

  /** The body for an operation whose refusals are strict, with a message that is cut to the allowed length. */
  strictBody(): { error: string } {
    return { error: cutText(this.message, MAX_STRICT_ERROR) };
  }

  /** The body for an operation of source work. A refusal says when it makes sense to ask again as the field `retryAfterMs`. */
  sourceBody(): Record<string, unknown> {
    const { status, message: error, fields } = this;
    if (!SOURCE_STATUSES.has(status)) return { error };
    const { retryAfterMs } = fields;
    return { ok: false, status, error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
}

/** The refusal of a body that is too large. `advice`: what else to say, as the end of the sentence. */
export const bodyTooLarge = (mostBytes: number, advice = ""): ApiError =>
  new ApiError("too_large", `${errorRegistry.too_large.message}: at most ${mostBytes} bytes${advice}`);

/** The refusal of a file that is too large. */
export const fileTooLarge = (mostBytes: number): ApiError =>
  new ApiError("too_large", `${errorRegistry.too_large.message}: at most ${mostBytes} bytes of a file`);

/** A change that needs a person. Body: `{error, reason, approvalRequired, payloadHash}`. */
export class ApprovalRefusal extends ApiError {
  constructor(payloadHash: string) {
    super("approval_required", undefined, {
      fields: { reason: "approval_required", approvalRequired: true, payloadHash },
    });
  }
}

/** The body of a refusal in the shape that an operation has for them. */
export function errorBody(error: ApiError, shape: "strict" | "source" | undefined): Record<string, unknown> {
  if (shape === "strict") return error.strictBody();
  return shape === "source" ? error.sourceBody() : error.body();
}
