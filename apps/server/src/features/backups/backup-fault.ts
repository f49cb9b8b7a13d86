import { ConfigError } from "../../platform/config.ts";

/** Why a backup was not made, in sentences for the operator. */
export class BackupFault extends ConfigError {}

/** Another process makes one at this time: it will be there without another attempt. */
export class BackupUnderWay extends BackupFault {}
