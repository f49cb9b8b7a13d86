import { Button, Paper, Stack } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { words } from "./words.ts";

type Scheme = "light" | "dark";
/** What the frame draws: a message of a page, the HTML of a mail, or the picture of a push, which is square. */
export type FrameContent =
  | { kind: "web"; content: unknown; isShort: boolean }
  | { kind: "mail"; html: string }
  | { kind: "picture"; url: string };

type Props = {
  title: string;
  drawn: FrameContent;
  /** Width of the window that it is looked at in, CSS pixels. */
  width: number;
  scheme: Scheme;
};

/** Height of the window of a page, CSS pixels; a short message needs less of it. */
const PAGE_HEIGHTS = { short: 300, usual: 520 };
/** A mail is as long as it is, within reason. */
const MAIL_HEIGHTS = { least: 240, most: 4_000 };

/** The colour of a page without any. */
const GROUND = { light: "#ffffff", dark: "#121212" };

type FrameMessage = { isReady?: boolean; height?: number; blocked?: string };

/** The frame with leave to load pictures from these origins. */
const addressOf = (origins: readonly string[]): string =>
  `/app/preview${origins.length === 0 ? "" : `?${new URLSearchParams(origins.map((each) => ["pictures", each]))}`}`;

function heightOf(drawn: FrameContent, width: number, ofMail: number): number {
  if (drawn.kind === "picture") return width;
  return drawn.kind === "mail" ? ofMail : PAGE_HEIGHTS[drawn.isShort ? "short" : "usual"];
}

/**
 * A message as its readers see it, drawn in a frame by the code that delivers it, and made smaller where the page has less room than the
 * window that it is drawn for. It is a picture: it takes no focus and no clicks. Pictures of other hosts load once the person presses that: who
 * wrote the message could learn otherwise when it is looked at, and from where.
 */
export function PreviewFrame({ title, drawn, width, scheme }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { ref: room, width: given } = useElementSize();
  const [isReady, setReady] = useState(false);
  const [height, setHeight] = useState<number>(MAIL_HEIGHTS.least);
  /** Origins from which pictures may come, and those that the frame wanted and may not have. */
  const [allowed, setAllowed] = useState<readonly string[]>([]);
  const [blocked, setBlocked] = useState<readonly string[]>([]);
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<FrameMessage>): void => {
      if (source !== frame.current?.contentWindow) return;
      if (data.isReady === true) setReady(true);
      const { blocked: origin } = data;
      if (origin !== undefined) setBlocked((before) => [...new Set([...before, origin])]);
      if (data.height !== undefined)
        setHeight(Math.min(Math.max(data.height, MAIL_HEIGHTS.least), MAIL_HEIGHTS.most));
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, []);
  const text = JSON.stringify({ ...drawn, scheme });
  useEffect(() => {
    setBlocked([]);
    // The frame has no origin that could be named.
    if (isReady) frame.current?.contentWindow?.postMessage(JSON.parse(text), "*");
  }, [isReady, text]);
  const scale = given === 0 ? 1 : Math.min(1, given / width);
  const shownHeight = heightOf(drawn, width, height);
  const load = (): void => {
    setReady(false);
    setAllowed([...allowed, ...blocked]);
    setBlocked([]);
  };
  return (
    // The frame keeps its place among its siblings: one that moves is loaded anew.
    <Stack gap="xs">
      {blocked.length > 0 && (
        <Button variant="default" size="xs" w="fit-content" maw="100%" onClick={load}>
          {words.showPictures(blocked.map((origin) => new URL(origin).host))}
        </Button>
      )}
      <Paper
        ref={room}
        withBorder
        maw={width}
        style={{ height: shownHeight * scale + 2, overflow: "hidden", background: GROUND[scheme] }}
      >
        <iframe
          // Its policy comes with its address.
          key={allowed.join(" ")}
          ref={frame}
          title={title}
          src={addressOf(allowed)}
          sandbox="allow-scripts"
          inert
          style={{
            width,
            height: shownHeight,
            border: 0,
            colorScheme: scheme,
            transform: `scale(${scale})`,
            transformOrigin: "0 0",
          }}
        />
      </Paper>
    </Stack>
  );
}
