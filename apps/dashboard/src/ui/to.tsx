import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./long.module.css";

type Props = {
  scope: string;
  path: string;
  /** What stands behind the "?" of the address. */
  search?: Readonly<Record<string, string>>;
  children: ReactNode;
};

/** A link to a page of the project. */
export const To = ({ scope, path, search, children }: Props) => (
  <Anchor
    component={Link}
    size="sm"
    fw={600}
    to={`/p/${scope}/${path}`}
    // The pages of the features are no part of the router's types.
    {...(search !== undefined && { search: search as never })}
    className={classes.long}
  >
    {children}
  </Anchor>
);
