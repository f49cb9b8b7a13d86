import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";

/** Leads to the sign-in, which leads back to the page that was wanted. */
export function ToSignIn() {
  const { pathname } = useLocation();
  // The address changes while this is still shown: the page that was wanted is the first one.
  const [wanted] = useState(pathname);
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to: "/sign-in", search: { to: wanted }, replace: true });
  }, [navigate, wanted]);
  return null;
}
