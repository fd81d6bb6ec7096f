/** Turns of the event loop. */

/** What each side has for it: Node's function, or a channel of messages in a browser, whose timers wait for milliseconds. */
const { setImmediate: immediately } = globalThis as { readonly setImmediate?: (action: () => void) => unknown };

/** Calls `action` in another turn of the event loop: what has come in by then is read first. */
export const inNextTurn: (action: () => void) => void =
  immediately === undefined ? overChannel() : (action) => void immediately(action);

function overChannel(): (action: () => void) => void {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.addEventListener('message', () => waiting.shift()?.());
  port1.start();
  return (action) => {
    waiting.push(action);
    port2.postMessage(null);
  };
}
