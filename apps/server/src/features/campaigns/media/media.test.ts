import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import { launchCampaign, toast } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { defaultLimits } from "../../../platform/limits.ts";
import { sniff } from "./image.ts";

const house = testHouse();
const small = testHouse({ limits: { ...defaultLimits, projectMediaBytes: 2_000 } });

const MAX_BYTES = 4 * 1_024 * 1_024;

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
};

/** A whole PNG, grey, 8 bits; `size` fills it up with a chunk that readers skip. */
function png(width: number, height: number, size = 0): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = deflateSync(Buffer.alloc((width + 1) * height));
  const parts = [signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))];
  const missing = size - parts.reduce((sum, part) => sum + part.length, 0) - 12;
  if (missing >= 0) parts.splice(2, 0, chunk("teST", Buffer.alloc(missing)));
  return Buffer.concat(parts);
}

function gif(width: number, height: number): Buffer {
  const screen = Buffer.from([0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  const image = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]);
  return Buffer.concat([Buffer.from("GIF89a"), screen, image]);
}

/** Start of image, JFIF, a baseline frame of one component, end of image. */
function jpeg(width: number, height: number): Buffer {
  const jfif = Buffer.from("ffe000104a46494600010100000100010000", "hex");
  const frame = Buffer.from("ffc0000b0800000000010111 00".replace(" ", ""), "hex");
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from("ffd8", "hex"), jfif, frame, Buffer.from("ffd9", "hex")]);
}

/** The extended form: a canvas of 24-bit sizes, less one. */
function webp(width: number, height: number): Buffer {
  const canvas = Buffer.alloc(10);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const body = Buffer.concat([Buffer.from("WEBPVP8X"), Buffer.from([10, 0, 0, 0]), canvas]);
  const riff = Buffer.from("RIFF\0\0\0\0", "latin1");
  riff.writeUInt32LE(body.length, 4);
  return Buffer.concat([riff, body]);
}

const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>alert(1)</script></svg>',
);
const FORMATS = [
  ["image/png", "png", png],
  ["image/jpeg", "jpg", jpeg],
  ["image/webp", "webp", webp],
  ["image/gif", "gif", gif],
] as const;

const upload = async ({ api }: TestProject, bytes: Buffer, type = "image/png") =>
  (await api.uploadCampaignMedia({ file: new Blob([new Uint8Array(bytes)], { type }) })).media;

describe("uploadCampaignMedia", () => {
  it("takes the images of a project up to its ceiling, and each of them again", async () => {
    const [project, other] = [await small.project(), await small.project()];
    const [first, second] = [png(8, 8, 1_500), png(9, 9, 500)];
    for (const bytes of [first, second, first, second]) await upload(project, bytes);
    const { status, error } = await refusal(upload(project, png(10, 10)));
    assert.deepEqual(
      [status, error],
      [400, "file is one too many: the images of a project come to at most 2000 bytes (projectMediaBytes)"],
    );
    await upload(other, png(10, 10));
  });

  for (const [type, ending, image] of FORMATS) {
    it(`takes ${type} and serves the very bytes for good`, async () => {
      const project = await house.project();
      const bytes = image(30, 20);
      const media = await upload(project, bytes, type);
      const { url, ...facts } = media;
      assert.deepEqual(facts, { contentType: type, width: 30, height: 20, sizeBytes: bytes.length });
      assert.ok(url.startsWith(`${house.url}/media/`) && url.endsWith(`.${ending}`), url);
      const served = await fetch(url);
      assert.equal(served.status, 200);
      assert.equal(served.headers.get("content-type"), type);
      assert.equal(served.headers.get("x-content-type-options"), "nosniff");
      assert.match(served.headers.get("cache-control") ?? "", /public.*max-age=31536000.*immutable/);
      assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
    });

    it(`takes ${type} of 4096 by 4096 pixels and not of one more`, async () => {
      const project = await house.project();
      const most = await upload(project, image(4_096, 4_096), type);
      assert.deepEqual([most.width, most.height], [4_096, 4_096]);
      for (const bytes of [image(4_097, 1), image(1, 4_097)]) {
        const { status, error } = await refusal(upload(project, bytes, type));
        assert.deepEqual([status, error], [400, "file must be at most 4096 by 4096 pixels"]);
      }
    });
  }

  it("takes 4 MiB and not one byte more", async () => {
    const project = await house.project();
    const most = png(8, 8, MAX_BYTES);
    assert.equal(most.length, MAX_BYTES);
    assert.equal((await upload(project, most)).sizeBytes, MAX_BYTES);
    const { status, error } = await refusal(upload(project, png(8, 8, MAX_BYTES + 1)));
    assert.deepEqual([status, error], [413, `Request body too large: at most ${MAX_BYTES} bytes of a file`]);
    assert.equal((await refusal(upload(project, png(8, 8, 2 * MAX_BYTES)))).status, 413);
  });

  const refused: readonly [string, Buffer, string][] = [
    ["SVG", SVG, "image/svg+xml"],
    ["SVG sent as PNG", SVG, "image/png"],
    ["JPEG sent as PNG", jpeg(8, 8), "image/png"],
    ["PNG sent as GIF", png(8, 8), "image/gif"],
    ["PNG sent as nothing in particular", png(8, 8), "application/octet-stream"],
    ["HTML sent as PNG", Buffer.from("<!doctype html><script>alert(1)</script>"), "image/png"],
    ["a bitmap", Buffer.concat([Buffer.from("BM"), Buffer.alloc(60, 8)]), "image/bmp"],
    ["nothing", Buffer.alloc(0), "image/png"],
    ["half a signature", png(8, 8).subarray(0, 6), "image/png"],
    ["a PNG cut off in its header", png(8, 8).subarray(0, 18), "image/png"],
    ["a GIF cut off in its header", gif(8, 8).subarray(0, 7), "image/gif"],
    ["a JPEG without a frame", Buffer.from("ffd8ffd9", "hex"), "image/jpeg"],
    ["a PNG without pixels", png(0, 0), "image/png"],
  ];
  for (const [name, bytes, type] of refused) {
    it(`refuses ${name}`, async () => {
      const { status, error } = await refusal(upload(await house.project(), bytes, type));
      assert.deepEqual([status, error.startsWith("file ")], [400, true], error);
    });
  }

  it("looks at nothing behind the end of a file, whatever lies there in memory", () => {
    assert.equal(sniff(gif(8, 8)).width, 8);
    for (const [bytes, most] of [
      [gif(8, 8), 7],
      [png(8, 8), 18],
    ] as const)
      assert.throws(() => sniff(bytes.subarray(0, most)), /file must be a PNG/);
  });

  it("refuses a body that is not one file in the field `file`", async () => {
    const { secretKey } = await house.project();
    const post = async (body: FormData | string, headers: Record<string, string> = {}) => {
      const authorization = `Bearer ${secretKey}`;
      const init = { method: "POST", body, headers: { authorization, ...headers } };
      const answer = await fetch(`${house.url}/api/v1/campaign-media`, init);
      if (answer.status !== 201) assert.match(await answer.text(), /file|multipart\/form-data/);
      return answer.status;
    };
    const form = (field: string, value: Blob | string): FormData => {
      const data = new FormData();
      data.set(field, value);
      return data;
    };
    const image = new Blob([new Uint8Array(png(8, 8))], { type: "image/png" });
    assert.equal(await post(form("file", image)), 201);
    assert.equal(await post(form("image", image)), 400);
    assert.equal(await post(form("file", "text")), 400);
    assert.equal(await post(form("__proto__", image)), 400);
    assert.equal(await post(new FormData()), 400);
    assert.equal(await post("{}", { "content-type": "application/json" }), 400);
    assert.equal(await post("x", { "content-type": "multipart/form-data" }), 400);
    assert.equal(await post("x", { "content-type": "multipart/form-data; boundary=b" }), 400);
  });

  it("gives the same bytes the same address, and each project its own", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const bytes = png(8, 8);
    const [first, again, many] = [
      await upload(mine, bytes),
      await upload(mine, bytes),
      await upload(other, bytes),
    ];
    assert.deepEqual(again, first);
    assert.notEqual(many.url, first.url);
    const atOnce = await Promise.all(Array.from({ length: 5 }, () => upload(mine, gif(9, 9), "image/gif")));
    assert.equal(new Set(atOnce.map(({ url }) => url)).size, 1);
  });

  it("is for the secret key", async () => {
    const { agent, sdk } = await house.project();
    const file = new Blob([new Uint8Array(png(8, 8))], { type: "image/png" });
    for (const client of [agent, sdk])
      assert.equal((await refusal(client.uploadCampaignMedia({ file }))).status, 403);
  });
});

describe("an address of an image", () => {
  it("answers 404 where there is none", async () => {
    const project = await house.project();
    const { url } = await upload(project, png(8, 8));
    const file = url.slice(url.lastIndexOf("/") + 1);
    const unknown = [
      `${project.projectId}/${"0".repeat(64)}.png`,
      `${project.projectId}/${file.slice(0, -4)}`,
      `${project.projectId}/${file.slice(0, -4)}.svg`,
      `${project.projectId}/${file.toUpperCase()}`,
      `${project.projectId}/..%2f${file}`,
      `${project.projectId}/%00.png`,
      `00000000-0000-7000-8000-000000000000/${file}`,
      `${"-".repeat(36)}/${file}`,
      `${"0".repeat(36)}/${file}`,
      `x/${file}`,
    ];
    for (const path of unknown) {
      const answer = await fetch(`${house.url}/media/${path}`);
      assert.deepEqual([answer.status, await answer.json()], [404, { error: "Not found" }], path);
    }
    assert.equal((await fetch(url)).status, 200);
  });
});

describe("an image in a campaign", () => {
  const withImage = (url: string) => ({ ...toast(), media: { url, alt: "A chart" } });

  it("is one that the project uploaded", async () => {
    const project = await house.project();
    const { url } = await upload(project, png(8, 8));
    const campaign = await launchCampaign(project, { message: withImage(url) });
    assert.deepEqual(campaign.variants[0]?.content, withImage(url));
    const decorative = { ...toast(), media: { url, decorative: true } };
    const body = { variants: [{ message: decorative }] };
    const changed = await project.api.updateCampaign({ path: { id: campaign.id }, body });
    assert.deepEqual(changed.campaign.variants[1]?.content, decorative);
  });

  it("is good whichever process took it, where none is told its public address", async () => {
    const mine = await house.project();
    const { url } = await upload(mine, png(8, 8));
    for (const origin of ["http://127.0.0.1:7001", "http://192.0.2.7:8080", "http://[2001:db8::1]:8080"]) {
      const image = url.replace(/^http:\/\/[^/]+/, origin);
      const { variants } = await launchCampaign(mine, { message: withImage(image) });
      const [content] = variants.map((variant) => variant.content as { media: { url: string } });
      assert.equal(content?.media.url, image);
    }
  });

  it("is no other: not another project's, not one that is not there, not one elsewhere", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const { url } = await upload(mine, png(8, 8));
    const campaign = await launchCampaign(mine);
    const path = { id: campaign.id };
    const others = [
      (await upload(other, png(8, 8))).url,
      (await upload(other, png(9, 9))).url.replace(other.projectId, mine.projectId),
      url.replace(/[0-9a-f]{64}/, "0".repeat(64)),
      url.replace(/^http:\/\/[^/]+/, "https://images.example"),
      url.replace(/^http:\/\/[^/]+/, "http://127.0.0.1:7001@images.example"),
      `${url}?x=1`,
      url.replace("/media/", "/media/../media/"),
      "https://images.example/a.png",
    ];
    for (const each of others) {
      const message = withImage(each);
      const calls = [
        ["message", () => launchCampaign(mine, { message })],
        [
          "variants[1].message",
          () => launchCampaign(mine, { variants: [{ message: toast() }, { message }] }),
        ],
        ["message", () => mine.api.updateCampaign({ path, body: { message } })],
        ["variants[0].message", () => mine.api.updateCampaign({ path, body: { variants: [{ message }] } })],
      ] as const;
      for (const [place, call] of calls) {
        const { status, error } = await refusal(call());
        const isNamed = error.startsWith(`${place}.media.url must be `);
        assert.deepEqual([status, isNamed], [400, true], `${each}: ${error}`);
      }
    }
    assert.equal((await mine.api.listCampaigns()).total, 1);
    assert.deepEqual((await mine.api.getCampaign({ path })).campaign, campaign);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
