import { createContext, useContext } from "react";

/** Asks the person to sign in again; answers whether they did. */
export type Confirm = () => Promise<boolean>;

export const ConfirmationContext = createContext<Confirm>(() => Promise.resolve(false));

export const useConfirmation = (): Confirm => useContext(ConfirmationContext);
