/**
 * A worker that runs a module. Editors in browsers start workers from classic scripts only, so such a script loads the module. A
 * message that comes before the module listens would be lost: the script keeps it.
 */
export function workerOf(module: string, name: string): Worker {
  const script = `(${bootstrap.toString()})(${JSON.stringify(module)})`;
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  return new Worker(address, { name });
}

/** Runs inside the worker: it may not use what this file imports or declares. */
function bootstrap(module: string): void {
  const early: MessageEvent[] = [];
  const keep = (event: MessageEvent): void => {
    early.push(event);
    event.stopImmediatePropagation();
  };
  self.addEventListener('message', keep);
  void import(module).then(
    () => {
      self.removeEventListener('message', keep);
      for (const { data } of early) self.dispatchEvent(new MessageEvent('message', { data }));
    },
    (error: unknown) =>
      setTimeout(() => {
        throw error;
      }),
  );
}
