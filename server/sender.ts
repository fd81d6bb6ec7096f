/** Says something to the client. One that has gone away hears nothing; that is no failure. */
export type Sender = (message: () => unknown) => void;

/** `close` where nothing is said any more. */
export function createSender(): { readonly send: Sender; close(): void } {
  let open = true;
  return {
    send(message) {
      if (!open) return;
      try {
        void Promise.resolve(message()).catch(() => {});
      } catch {
        open = false;
      }
    },
    close() {
      open = false;
    },
  };
}
