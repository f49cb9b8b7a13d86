export { openDevice } from "./device.ts";
export { pushOf } from "./push.ts";
export type {
  Capabilities,
  Device,
  DeviceInstallation,
  DeviceOptions,
  Fetch,
  Permission,
  Push,
  PushContent,
  Store,
} from "./types.ts";
