import { useState } from "react";
import { newRequestKey } from "./request-key.ts";

/**
 * The header of a change that has its effect once, however often it is sent: a second press after a lost answer repeats nothing.
 * `renew`: what is sent from now on is another change.
 */
export function useRequestKey() {
  const [key, setKey] = useState(newRequestKey);
  return {
    headers: { "Idempotency-Key": key },
    renew: (): void => setKey(newRequestKey()),
  };
}
