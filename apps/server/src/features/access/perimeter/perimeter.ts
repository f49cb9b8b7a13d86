import type { Perimeter } from "../../../platform/http/admission/perimeter.ts";
import type { App } from "../../../platform/runtime.ts";
import { SealError } from "../../../platform/secrets/secrets.ts";
import { parseNames } from "../projects/names.pure.ts";
import { identityJudge, openIdentitySecret } from "./identity.ts";
import { originJudge, parseOrigins } from "./origins.pure.ts";

/** The perimeter of a project, as it is stored. */
export type PerimeterRow = {
  projectId: string;
  isIdentityRequired: boolean;
  /** Sealed; the present one, and former ones that have not expired. */
  identitySecrets: readonly Buffer[];
  /** Text of `originsText`; null where pages of any origin may call the API. */
  allowedOrigins: string | null;
  /** Text of `namesText`; null where there are none. */
  serverTraits: string | null;
  serverEvents: string | null;
};

/** The secrets that can be opened. With one that cannot, no user is proved, and the check stays on. */
function opened({ secrets, log }: App, projectId: string, sealed: readonly Buffer[]): string[] {
  return sealed.flatMap((each) => {
    try {
      return [openIdentitySecret(secrets, projectId, each)];
    } catch (cause) {
      if (!(cause instanceof SealError)) throw cause;
      log.error({ err: cause, projectId }, "an identity secret cannot be opened; it proves nobody");
      return [];
    }
  });
}

/** What a project demands of pages and apps, and how they can prove a user; undefined where there is neither. */
export function perimeterOf(app: App, row: PerimeterRow): Perimeter | undefined {
  const { projectId, isIdentityRequired, identitySecrets, allowedOrigins, serverTraits, serverEvents } = row;
  const lists = [allowedOrigins, serverTraits, serverEvents];
  if (!isIdentityRequired && identitySecrets.length === 0 && lists.every((list) => list === null))
    return undefined;
  const canProve = isIdentityRequired || identitySecrets.length > 0;
  return {
    // The same parser made the stored list; one that cannot be read admits no origin.
    allowsOrigin: allowedOrigins === null ? null : originJudge(parseOrigins(allowedOrigins) ?? []),
    provesUser: canProve ? identityJudge(opened(app, projectId, identitySecrets)) : null,
    requiresProof: isIdentityRequired,
    serverTraits: new Set(parseNames(serverTraits ?? "") ?? []),
    serverEvents: new Set(parseNames(serverEvents ?? "") ?? []),
  };
}
