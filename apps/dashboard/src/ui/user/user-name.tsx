import { Anchor, type AnchorProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useUserName } from "./names.ts";
import { shortId } from "./short-id.pure.ts";
import classes from "./user-name.module.css";

type OfUser = {
  scope: string;
  /** Either id: a link leads there. */
  userId: string;
  /** The customer's own id, which people know; the same where it is left out. */
  externalUserId?: string;
};

/** What is known of a user's name, and what is said of it when a person points at it. */
function useShown({ scope, userId, externalUserId = userId }: OfUser) {
  const name = useUserName(scope, userId);
  const isNamed = name !== null && name !== externalUserId;
  return {
    title: isNamed ? `${name} (${externalUserId})` : externalUserId,
    content: isNamed ? (
      <>
        <bdi className={classes.name}>{name}</bdi> <bdi className={classes.id}>{shortId(externalUserId)}</bdi>
      </>
    ) : (
      <bdi className={classes.alone}>{shortId(externalUserId)}</bdi>
    ),
  };
}

/** A user in a list: the name, with the id small beside it, as a link to the user. The id alone until the name is known. */
export function UserName({
  scope,
  userId,
  externalUserId,
  ...look
}: OfUser & Pick<AnchorProps, "size" | "fw" | "pl">) {
  const { title, content } = useShown({
    scope,
    userId,
    ...(externalUserId !== undefined && { externalUserId }),
  });
  return (
    <Anchor
      component={Link}
      to={`/p/${scope}/users/${encodeURIComponent(userId)}`}
      {...look}
      className={classes.user}
      title={title}
    >
      {content}
    </Anchor>
  );
}

/** The same without a link, such as in a list to choose from. */
export function UserText(user: OfUser) {
  const { title, content } = useShown(user);
  return (
    <span className={classes.user} title={title}>
      {content}
    </span>
  );
}
