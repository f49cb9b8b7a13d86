import type { Perimeter } from "../../platform/http/perimeter.ts";
import type { App } from "../../platform/runtime.ts";
import { SealError } from "../../platform/secrets.ts";
import { identityJudge, openIdentitySecret } from "./identity.ts";
import { parseNames } from "./names.pure.ts";
import { originJudge, parseOrigins } from "./origins.pure.ts";

/** What is kept of a project's perimeter. */
export type PerimeterRow = {
  projectId: string;
  isIdentityRequired: boolean;
  /** Sealed; the present one, and former ones that have not expired. */
  identitySecrets: readonly Buffer[];
  /** As `originsText` makes it; null where pages of any origin may ask. */
  allowedOrigins: string | null;
  /** As `namesText` makes them; null where there are none. */
  serverTraits: string | null;
  serverEvents: string | null;
};

/** The secrets that open. What cannot be opened proves nobody: a check that people asked for is not given up for it. */
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
    // What is kept was made by the same parser; a list that cannot be read lets nobody in.
    allowsOrigin: allowedOrigins === null ? null : originJudge(parseOrigins(allowedOrigins) ?? []),
    provesUser: canProve ? identityJudge(opened(app, projectId, identitySecrets)) : null,
    requiresProof: isIdentityRequired,
    serverTraits: new Set(parseNames(serverTraits ?? "") ?? []),
    serverEvents: new Set(parseNames(serverEvents ?? "") ?? []),
  };
}
