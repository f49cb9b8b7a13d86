import { ConfigError } from "../config.ts";
import { SettingError } from "./setting.ts";

/** Turns a refused setting into an error that a command prints as one line. */
export async function orConfigError<T>(act: Promise<T>): Promise<T> {
  return act.catch((error: unknown) => {
    throw error instanceof SettingError ? new ConfigError(`${error.message}.`, { cause: error }) : error;
  });
}
