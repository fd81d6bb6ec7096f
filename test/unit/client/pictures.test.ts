import { expect, test } from 'vitest';
import { createOutbox } from '../../../client/preview/outbox.ts';
import { createPictures } from '../../../client/preview/pictures.ts';
import type { ToPage } from '../../../webview/protocol/messages.ts';

const drawing = { svg: '<svg/>', scale: 2 };

test('a page draws a picture, also one that is still loading', async () => {
  const sent: ToPage[] = [];
  const outbox = createOutbox((message) => sent.push(message));
  const pictures = createPictures(outbox.post);
  const drawn = pictures.draw(drawing);
  expect(sent).toEqual([]);
  outbox.ready();
  expect(sent).toEqual([{ type: 'draw', request: 1, ...drawing }]);
  // An answer to nothing that was asked.
  pictures.receive({ request: 7, base64: 'bm8=' });
  pictures.receive({ request: 1, base64: 'iVBO' });
  expect(await drawn).toBe('iVBO');
});

test('nobody waits for a page that is closed, cannot draw, or has another picture to draw', async () => {
  const pictures = createPictures(() => undefined);
  const [first, second] = [pictures.draw(drawing), pictures.draw(drawing)];
  expect(await first).toBeUndefined();
  pictures.receive({ request: 2 });
  expect(await second).toBeUndefined();
  const third = pictures.draw(drawing);
  pictures.closed();
  expect(await third).toBeUndefined();
});
