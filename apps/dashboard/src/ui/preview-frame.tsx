import { Paper } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

type Scheme = "light" | "dark";
/** What the frame draws: a message of a page, or the HTML of a mail. */
export type Drawn = { kind: "web"; content: unknown; isShort: boolean } | { kind: "mail"; html: string };

type Props = {
  title: string;
  drawn: Drawn;
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

type Said = { isReady?: boolean; height?: number };

/**
 * A message as its readers see it, drawn in a frame by the code that delivers it, and made smaller where the page has less room than the
 * window that it is drawn for. It is a picture: it takes no focus and no clicks.
 */
export function PreviewFrame({ title, drawn, width, scheme }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { ref: room, width: given } = useElementSize();
  const [isReady, setReady] = useState(false);
  const [height, setHeight] = useState<number>(MAIL_HEIGHTS.least);
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<Said>): void => {
      if (source !== frame.current?.contentWindow) return;
      if (data.isReady === true) setReady(true);
      if (data.height !== undefined)
        setHeight(Math.min(Math.max(data.height, MAIL_HEIGHTS.least), MAIL_HEIGHTS.most));
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, []);
  const text = JSON.stringify({ ...drawn, scheme });
  useEffect(() => {
    // The frame has no origin that could be named.
    if (isReady) frame.current?.contentWindow?.postMessage(JSON.parse(text), "*");
  }, [isReady, text]);
  const scale = given === 0 ? 1 : Math.min(1, given / width);
  const shownHeight = drawn.kind === "mail" ? height : PAGE_HEIGHTS[drawn.isShort ? "short" : "usual"];
  return (
    <Paper
      ref={room}
      withBorder
      maw={width}
      style={{ height: shownHeight * scale + 2, overflow: "hidden", background: GROUND[scheme] }}
    >
      <iframe
        ref={frame}
        title={title}
        src="/app/preview"
        sandbox="allow-scripts"
        inert
        style={{
          ...{ width, height: shownHeight, border: 0, colorScheme: scheme },
          ...{ transform: `scale(${scale})`, transformOrigin: "0 0" },
        }}
      />
    </Paper>
  );
}
