export { type Backup, leaveBackups } from "./backups-folder.ts";
export { makeBackup } from "./make-backup.ts";
export { backupsOf, faultOfBackups } from "./state.ts";
