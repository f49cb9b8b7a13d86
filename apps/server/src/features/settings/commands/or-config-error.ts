import { ConfigError } from "../../../platform/config.ts";
import { SettingError } from "../read.ts";

/** What is wrong with a setting is one line for the person at the terminal. */
export async function orConfigError<T>(act: Promise<T>): Promise<T> {
  return act.catch((error: unknown) => {
    throw error instanceof SettingError ? new ConfigError(`${error.message}.`, { cause: error }) : error;
  });
}
