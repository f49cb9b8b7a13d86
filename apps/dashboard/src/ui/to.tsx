import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./look/long.module.css";

type Props = {
  scope: string;
  path: string;
  /** What stands behind the "?" of the address. */
  search?: Readonly<Record<string, string>>;
  /** What else happens, such as that a dialog closes. */
  onClick?: () => void;
  /** Whether it stands on a coloured ground, where the colour of links has too little contrast. */
  isOnColour?: boolean;
  children: ReactNode;
};

/** A link to a page of the project. */
export const To = ({ scope, path, search, onClick, isOnColour = false, children }: Props) => (
  <Anchor
    component={Link}
    size="sm"
    fw={600}
    to={`/p/${scope}/${path}`}
    {...(onClick !== undefined && { onClick })}
    {...(isOnColour && { c: "var(--mantine-color-text)", underline: "always" as const })}
    // The pages of the features are no part of the router's types.
    {...(search !== undefined && { search: search as never })}
    className={classes.long}
  >
    {children}
  </Anchor>
);
