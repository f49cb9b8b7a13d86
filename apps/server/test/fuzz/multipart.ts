import type { Random } from "../crash/random.ts";
import type { Edit } from "./draft.ts";

export const BOUNDARY = "----boundary";

type Part = { disposition: string; type: string; bytes: Buffer };

const END = "\r\n";

/** A multipart body (RFC 7578) of these parts. */
export function multipart(parts: readonly Part[], isClosed = true): Buffer {
  const written = parts.flatMap(({ disposition, type, bytes }) => [
    Buffer.from(`--${BOUNDARY}${END}content-disposition: ${disposition}${END}${type}${END}${END}`),
    bytes,
    Buffer.from(END),
  ]);
  return Buffer.concat([...written, Buffer.from(isClosed ? `--${BOUNDARY}--${END}` : "")]);
}

export const filePart = (bytes: Buffer, type = "image/png"): Part => ({
  disposition: 'form-data; name="file"; filename="a.png"',
  type: `content-type: ${type}`,
  bytes,
});

const formEdit = (bytes: Buffer): Edit => ({
  part: "payload",
  name: "file",
  apply: (draft) => ({ ...draft, bytes }),
  smaller: () => [],
});

const DISPOSITIONS = [
  'form-data; name="file"',
  'form-data; name="other"; filename="a.png"',
  'form-data; name="__proto__"; filename="a.png"',
  'form-data; name="constructor"; filename="a.png"',
  'form-data; name=""; filename=""',
  'form-data; name="file"; filename="../../../a\u0000.png"',
  'form-data; name="file"; filename="💥"',
  "form-data",
  "attachment",
  "",
];
const TYPES = ["image/png", "image/jpeg", "image/svg+xml", "text/html", "", "nonsense", "image/png\u0000"];
const MEDIA_LIMIT = 4 * 1_024 * 1_024;

function drawBytes(random: Random, image: Buffer): Buffer {
  const at = random.int(image.length);
  const flipped = Buffer.from(image);
  flipped[at] = random.int(256);
  const claims = Buffer.from(image);
  // The width and the height of a PNG (its specification, section 11.2.2) are the eight bytes from 16 on.
  claims.fill(0xff, 16, 24);
  return (
    random.pick([
      Buffer.alloc(0),
      image.subarray(0, at),
      flipped,
      claims,
      Buffer.concat([image, Buffer.alloc(random.int(5_000))]),
      Buffer.from("GIF89a"),
      Buffer.from("RIFF\u0000\u0000\u0000\u0000WEBPVP8 "),
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      random.chance(0.1) ? Buffer.alloc(MEDIA_LIMIT + random.int(3) - 1) : image,
    ]) ?? image
  );
}

/** A form that is not quite the one that an upload takes. */
export function drawFormEdit(random: Random, image: Buffer): Edit {
  const part = {
    ...filePart(random.chance(0.6) ? drawBytes(random, image) : image, random.pick(TYPES)),
    ...(random.chance(0.3) ? { disposition: random.pick(DISPOSITIONS) ?? "" } : {}),
  };
  const parts = random.pick([[part], [part], [part], [], [part, part], [part, filePart(image)]]) ?? [];
  return formEdit(multipart(parts, random.chance(0.9)));
}
