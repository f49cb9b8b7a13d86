/** An APNs on loopback in a process of its own: answers after some milliseconds, and keeps nothing. Says over IPC where it is. */
import { newApnsCredential, startApns } from "../apps/server/test/peers/apns.ts";

const latencyMs = Number(process.argv[2] ?? "40");
const credential = await newApnsCredential();
const peer = await startApns({ latencyMs, credential, keeps: false });
process.send?.({ url: peer.url, caFile: peer.caFile, credential });
process.on("disconnect", () => process.exit(0));
