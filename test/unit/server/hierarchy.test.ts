import { expect, test } from 'vitest';
import type {
  CallHierarchyIncomingCall,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  Location,
} from 'vscode-languageserver';
import { serverWith } from '../../support/asked.ts';
import { main, slice } from '../../support/server.ts';
import { staged, toy } from './samples.ts';

/** Where the type of the name at `$0` is declared: address and text. */
const typesAt = (source: string): Promise<unknown> =>
  serverWith(source, async ({ ask, texts }) =>
    ((await ask<Location[] | null>('textDocument/typeDefinition')) ?? []).map(({ uri, range }) =>
      texts.has(uri) ? slice(texts.get(uri) ?? '', range) : uri,
    ),
  );

test('a thing leads to what it is made of', async () => {
  expect(await typesAt(toy.replace('pipeline train', 'pipeline tr$0ain'))).toEqual(['toy', 'box']);
  expect(await typesAt(toy.replace('= box', '= b$0ox'))).toEqual(['v100']);
  expect(await typesAt(toy.replace('layer block', 'layer bl$0ock'))).toEqual(['toy']);
  expect(await typesAt(staged.replace('stage first', 'stage fir$0st'))).toEqual(['a']);
  expect(await typesAt(toy.replace('param micro', 'param mi$0cro'))).toEqual([]);
  expect(await typesAt(toy.replace('  schedule ', '$0  schedule '))).toEqual([]);
});

test('a cluster of another file leads to its devices there', async () => {
  const source = `
import "other.pipe"
pipeline train { model = m  devices = b$0ox  microbatches = 4  stages = balance(2)  schedule = gpipe }
//- /other.pipe
model m { layer l[2] { forward = 1ms  backward = 2ms } }
device card { memory = 1GiB }
cluster box { gpu[2] = card  link = 25GB/s }
`;
  expect(await typesAt(source)).toEqual(['card']);
  const standard = `
import { dgx_h100 } from "std:clusters"
pipeline train { model = m  devices = dgx$0_h100  microbatches = 4  stages = balance(2)  schedule = gpipe }
`;
  expect(await typesAt(standard)).toEqual(['pipewright-policy:/std/hardware.pipe']);
});

const shown = ({ name, detail }: CallHierarchyItem): string => `${name}: ${detail}`;

test('a model is run by stages, and a stage by devices; and back', async () => {
  await serverWith(staged.replace('model two', 'model t$0wo'), async ({ client, text, ask }) => {
    const [model] = await ask<CallHierarchyItem[]>('textDocument/prepareCallHierarchy');
    const outgoing = async (item: CallHierarchyItem) =>
      (await client.request<CallHierarchyOutgoingCall[]>('callHierarchy/outgoingCalls', { item })).map(({ to }) => to);
    const incoming = async (item: CallHierarchyItem) =>
      (await client.request<CallHierarchyIncomingCall[]>('callHierarchy/incomingCalls', { item })).map(
        ({ from }) => from,
      );
    expect(slice(text, model.selectionRange)).toBe('two');
    const stages = await outgoing(model);
    expect(stages.map(shown)).toEqual(['first: run · 1 layer · forward 1 ms', 'second: run · 1 layer · forward 1 ms']);
    expect(slice(text, stages[1].selectionRange)).toContain('second');
    const devices = await outgoing(stages[1]);
    expect(devices.map(({ name }) => name)).toEqual(['gpu[1]']);
    expect(devices[0].detail).toMatch(/^run · card · peak \d/);
    expect(slice(text, devices[0].selectionRange)).toBe('card');
    expect(await outgoing(devices[0])).toEqual([]);
    expect((await incoming(devices[0])).map(({ name }) => name)).toEqual(['second']);
    expect((await incoming(stages[1])).map(({ name }) => name)).toEqual(['two']);
    expect(await incoming(model)).toEqual([]);
    // After an edit the items are of the earlier text: what is gone is left out.
    client.change(main, text.replace(/pipeline[\s\S]*/, ''));
    expect(await outgoing(model)).toEqual([]);
    expect(await outgoing(stages[1])).toEqual([]);
  });
});

test('a hierarchy begins at a pipeline, a stage or a device, and nowhere else', async () => {
  const begins = (source: string): Promise<readonly string[]> =>
    serverWith(source, async ({ ask }) =>
      ((await ask<CallHierarchyItem[] | null>('textDocument/prepareCallHierarchy')) ?? []).map(({ name }) => name),
    );
  expect(await begins(toy.replace('pipeline train', 'pipeline tr$0ain'))).toEqual(['toy']);
  expect(await begins(staged.replace('stage second', 'stage sec$0ond'))).toEqual(['second']);
  expect(await begins(staged.replace('= card', '= ca$0rd'))).toEqual(['gpu[0]', 'gpu[1]']);
  expect(await begins(toy.replace('param micro', 'param mi$0cro'))).toEqual([]);
});
