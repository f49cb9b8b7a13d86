/**
 * Where explanations and what really happens differ. Worlds compare nothing there, and each has an example in `disagreements.test.ts` that
 * fails once it is mended. Then it is false here, and the worlds compare it.
 */
export const DISAGREEMENTS: Readonly<Record<"planIsKept" | "waitsUnseen" | "refusedIsPlanned", boolean>> = {
  /**
   * Push: of one that is planned, explanations choose devices and fill in the message as if it were planned now. Sending keeps to the devices,
   * the words and the lifetime of the plan. It waits for a device without a token where another one could have the push, leaves out a device
   * that came later, fails for a device that changed hands and for what has expired, and says what the traits were.
   */
  planIsKept: true,
  /**
   * Push: who waits for a device is not looked at before there is one, so the reason stays, though the user may lack a trait of the message by
   * now, which explanations name first.
   */
  waitsUnseen: true,
  /**
   * Push: planning makes deliveries also for users whose devices all need a credential that its provider refuses, because only a push that is
   * due can find out whether the provider takes it again. Census and explanations say that these users cannot be reached.
   */
  refusedIsPlanned: true,
};
