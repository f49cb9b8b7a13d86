import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { signOut } from "../platform/sign-in.ts";

/** Signs the person out, and leads to the sign-in. */
export function useLeave(): () => void {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return () => {
    void (async () => {
      await signOut();
      queries.clear();
      await navigate({ to: "/sign-in" });
    })();
  };
}
