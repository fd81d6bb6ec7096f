import { expect, test } from 'vitest';
import { createOutbox } from '../../../client/preview/outbox.ts';
import type { ToPage } from '../../../webview/protocol/messages.ts';

const broken = (version: number): ToPage => ({ type: 'broken', uri: 'file:///a.pipe', version, message: 'x' });
const highlight = (path: string): ToPage => ({ type: 'highlight', groups: [[path]] });

function box() {
  const sent: ToPage[] = [];
  return { sent, outbox: createOutbox((message) => sent.push(message)) };
}

test('before the page is ready nothing is sent; then the newest of each sort, the picture first', () => {
  const { sent, outbox } = box();
  outbox.post(highlight('a'));
  outbox.post(broken(1));
  outbox.post(broken(2));
  outbox.post(highlight('b'));
  expect(sent).toEqual([]);
  outbox.ready();
  expect(sent).toEqual([broken(2), highlight('b')]);
});

test('the view of a link comes before the plan that is shown in it', () => {
  const { sent, outbox } = box();
  const view: ToPage = { type: 'view', state: { uri: 'file:///a.pipe', t0: 0, t1: 1 } };
  outbox.post(broken(1));
  outbox.post(view);
  expect(outbox.isOpen()).toBe(false);
  outbox.ready();
  expect(outbox.isOpen()).toBe(true);
  expect(sent).toEqual([view, broken(1)]);
});

test('a page that is ready gets each message at once', () => {
  const { sent, outbox } = box();
  outbox.ready();
  outbox.post(broken(1));
  outbox.post(broken(2));
  expect(sent).toEqual([broken(1), broken(2)]);
});

test('a hidden page gets the newest one when it starts again, and that one only once', () => {
  const { sent, outbox } = box();
  outbox.ready();
  outbox.closed();
  outbox.post(broken(3));
  outbox.ready();
  outbox.closed();
  outbox.ready();
  expect(sent).toEqual([broken(3)]);
});

test('answers to a page that is hidden are dropped, and do not take the place of its picture', () => {
  const { sent, outbox } = box();
  outbox.post(broken(1));
  outbox.post({ type: 'fixes', request: 1, fixes: [] });
  outbox.ready();
  expect(sent).toEqual([broken(1)]);
});

test('a search that was asked for waits for the page; what a search found for an earlier page is dropped', () => {
  const { sent, outbox } = box();
  outbox.post({ type: 'plans', pipeline: 'train' });
  outbox.post(broken(1));
  outbox.post({ type: 'planFound', request: 1, points: [], looked: 0, total: 4 });
  outbox.post({ type: 'planEnd', request: 1, problem: 'no' });
  outbox.post({ type: 'planNote', request: 1, text: 'Saved.' });
  outbox.post({ type: 'planEdited', request: 1, matters: true });
  outbox.ready();
  expect(sent).toEqual([broken(1), { type: 'plans', pipeline: 'train' }]);
});

test('a search that an earlier page had comes before what the reader asks for next', () => {
  const { sent, outbox } = box();
  const found = { points: [], looked: 0, total: 4 };
  const edited = { matters: false };
  const kept = { type: 'planKept', uri: 'file:///a.pipe', request: 1, open: true, note: '', found, edited } as const;
  outbox.post({ type: 'plans', pipeline: 'train' });
  outbox.post(broken(1));
  outbox.post(kept);
  outbox.ready();
  expect(sent).toEqual([kept, broken(1), { type: 'plans', pipeline: 'train' }]);
});

test('a page that opens gets the wish for a search of an order after its picture, and no answer to an earlier page', () => {
  const { sent, outbox } = box();
  outbox.post({ type: 'findOrder' });
  outbox.post({ type: 'order', request: 1 });
  outbox.post(broken(1));
  outbox.ready();
  expect(sent).toEqual([broken(1), { type: 'findOrder' }]);
});
