import { expect, test } from 'vitest';
import { type CompletionItem, CompletionItemKind, type CompletionList } from 'vscode-languageserver';
import { ask, invoked } from '../../support/asked.ts';
import { staged, toy } from './samples.ts';

async function complete(source: string, triggerCharacter?: string): Promise<readonly CompletionItem[]> {
  const asked = triggerCharacter === undefined ? invoked : { context: { triggerKind: 2, triggerCharacter } };
  return (await ask<CompletionList | null>(source, 'textDocument/completion', asked))?.items ?? [];
}

const labels = async (source: string, trigger?: string) =>
  (await complete(source, trigger)).map((completionItem) => completionItem.label);

test('declaration keywords at the start of a line', async () => {
  expect(await labels('$0')).toEqual([
    'import',
    'param',
    'let',
    'device',
    'cluster',
    'model',
    'schedule',
    'pipeline',
    'job',
    'search',
    'expect',
  ]);
  expect(await labels(`${toy}\npip$0`)).toContain('pipeline');
});

test('keys of a block that are not yet written, needed ones first', async () => {
  const found = await labels('device d { $0 }');
  expect(found[0]).toBe('memory');
  expect(found).toContain('compute');
  const next = await labels('device d { memory = 16GiB  $0 }');
  expect(next).not.toContain('memory');
  expect(next).toContain('compute');
  expect(await labels('model m { layer a { forward = 1ms $0 } }')).toContain('backward');
  expect(await labels('pipeline p {\n  stage a { $0\n')).toEqual(expect.arrayContaining(['layers', 'on', 'recompute']));
});

test('a key comes with a place for its value', async () => {
  const found = await complete('device d { $0 }');
  expect(found[0]?.textEdit).toMatchObject({ newText: 'memory = ${1:80GiB}' });
});

test('a key that takes a size or a word offers both', async () => {
  const found = await labels('let spare = 1GiB\ndevice d { memory = 16GiB  reserved = $0 }');
  expect(found).toEqual(expect.arrayContaining(['framework', 'spare']));
  expect(await labels('device d { memory = $0 }')).not.toContain('framework');
});

test('planners of stages, and how one of them divides a cluster', async () => {
  const after = (text: string) => labels(toy.replace('stages       = balance(4)', `stages       = ${text}`));
  expect((await after('plan($0)')).slice(0, 4)).toEqual(['pipedream', 'dapple', 'alpa', 'hetpipe']);
  expect(await after('plan(al$0)')).toContain('alpa');
  expect(await after('plan(hetpipe, $0)')).toEqual(expect.arrayContaining(['allocation', 'worker']));
  expect(await after('plan(hetpipe, allocation = $0)')).toEqual(['node', 'equal', 'hybrid']);
});

test('values by kind', async () => {
  expect(await labels('device e { memory = 1GiB }\ndevice d { from = $0 }')).toEqual(
    expect.arrayContaining(['e', 'system']),
  );
  expect(await labels(toy.replace('schedule     = 1f1b', 'schedule     = $0'))).toEqual(
    expect.arrayContaining(['1f1b', 'gpipe', 'zb_h1']),
  );
  expect((await labels(toy.replace('model        = toy', 'model        = $0')))[0]).toBe('toy');
  expect((await labels(toy.replace('devices      = box', 'devices      = $0')))[0]).toBe('box');
  expect((await labels(toy.replace('gpu[4] = v100', 'gpu[4] = $0')))[0]).toBe('v100');
  expect(await labels(toy.replace('stages       = balance(4)', 'stages       = $0'))).toEqual([
    'balance',
    'split',
    'plan',
  ]);
  expect(await labels('model m { precision = $0 }')).toEqual(['bf16', 'fp16', 'fp8', 'fp4', 'tf32', 'fp32']);
  expect(await labels(staged.replace('layers = b', 'layers = $0'))).toEqual(['a', 'b']);
  expect(await labels('schedule s { placement = $0 }')).toEqual(['linear', 'v_shape', 'bidirectional', 'loop', 'wave']);
  expect(await labels('model m { layer a = $0 }')).toEqual(
    expect.arrayContaining(['transformer', 'embedding', 'lm_head', 'linear']),
  );
});

test('the user’s own schedule before the built-in ones that are no faster', async () => {
  const own = `schedule mine { order = greedy(prefer = [B, F]) }\n${toy.replace('= 1f1b', '= $0')}`;
  const found = await labels(own);
  expect(found).toContain('mine');
  expect(found.indexOf('mine')).toBeLessThan(found.indexOf('gpipe'));
});

test('a partly typed value is offered too, and is replaced whole', async () => {
  const found = await complete(toy.replace('= 1f1b', '= 1f$0'));
  const item = found.find((completionItem) => completionItem.label === '1f1b');
  expect(item?.textEdit).toMatchObject({
    newText: '1f1b',
    range: { start: { character: 17 }, end: { character: 19 } },
  });
});

test('units after a number, of the dimension that fits', async () => {
  expect(await labels('device d { memory = 4$0 }')).toEqual(expect.arrayContaining(['4GiB', '4MiB', '4GB']));
  expect((await labels('device d { memory = 4$0 }'))[0]).toBe('4GiB');
  const times = await labels('model m { layer a { forward = 4$0 } }');
  expect(times[0]).toBe('4ms');
  expect(times).not.toContain('4GiB');
  expect(await labels(toy.replace('microbatches = microbatches', 'microbatches = 8$0'))).toEqual([]);
  expect(await labels('expect t { bubble < 30$0 }')).toEqual(['30%']);
});

test('arguments of functions by name, then their words', async () => {
  expect(await labels('model m { layer a = transformer($0) }')).toEqual(expect.arrayContaining(['hidden', 'heads']));
  expect(await labels('model m { layer a = transformer(hidden = 8, $0) }')).not.toContain('hidden');
  expect(await labels('model m { layer a = transformer(causal = $0) }')).toEqual(['true', 'false']);
  expect(await labels('schedule s { order = greedy(prefer = [$0]) }')).toEqual(['F', 'B', 'I', 'W', 'R', 'E', 'L']);
  expect(await labels('param p = 1\nschedule s { order = greedy($0) }')).toEqual(['prefer']);
});

test('what a condition of a rule may read', async () => {
  const rule = (text: string) => `schedule s { order = greedy(prefer = [B, F])  ${text} }`;
  expect(await labels(rule('allow($0)'))).toEqual(['F', 'B', 'I', 'W', 'R', 'E', 'L']);
  expect(await labels(rule('allow(F, s) = $0'))).toEqual(
    expect.arrayContaining(['held', 'pending', 'done', 'next', 'time', 'bytes', 'activation', 'min', 's', 'stages']),
  );
  expect(await labels(rule('allow(F, s) = next($0) < 2ms'))).toEqual(['F', 'B', 'I', 'W', 'R', 'E', 'L']);
  expect(await labels(rule('allow(F, s) = next(B, $0) < 2ms'))).toEqual(
    expect.arrayContaining(['s', 'stages', 'devices', 'microbatches']),
  );
  expect(await labels(rule('allow(F, s) = min($0, 2) < 3'))).toContain('held');
  expect(await labels(rule('prefer(0) = [$0]'))).toEqual(['F', 'B', 'I', 'W', 'R', 'E', 'L']);
  expect(await labels(rule('ties = $0'))).toEqual(['oldest', 'deepest', 'shallowest']);
  expect(await labels('schedule s { row(d) = $0 }')).not.toContain('held');
});

test('operations of the schedule in its rule', async () => {
  const rule = (order: string) => `schedule s { operation loss { time = 3ms }  ${order} }`;
  expect(await labels(rule('order = greedy(prefer = [B, $0])'))).toContain('loss');
  expect(await labels(rule('order = greedy(prefer = [B, loss, F])  allow($0)'))).toContain('loss');
  expect(await labels(rule('order = greedy(prefer = [B, loss, F])  allow(F, s) = done($0) < 2'))).toContain('loss');
});

test('figures in an expect, and stages of its pipeline', async () => {
  expect(await labels('expect t { $0 }')).toEqual(expect.arrayContaining(['bubble', 'peak_memory', 'iteration']));
  expect(await labels('expect t { peak_memory($0) < 1GiB }')).toEqual(['stage', 'device']);
  expect(await labels(staged.replace('stage = first', 'stage = $0'))).toEqual(['first', 'second']);
  expect(await labels(`${toy}\nexpect $0`)).toEqual(['train']);
});

test('stages of the pipeline, for the jitter of one', async () => {
  const varied = (key: string) => staged.replace('schedule', `${key}  schedule`);
  const offers = await labels(varied('jitter(stage = $0) = 5%'));
  expect(offers.filter((label) => ['first', 'second'].includes(label))).toEqual(['first', 'second']);
  expect(await labels(varied('slow(device = $0) = 1.2'))).not.toContain('first');
});

test('names of the standard hardware', async () => {
  expect(await labels('import "$0"')).toContain('std:hardware');
  expect(await labels('import { $0 } from "std:hardware"')).toContain('v100');
  expect(await labels('import { v100, $0 } from "std:hardware"')).not.toContain('v100');
  expect(await labels('import { dgx_h100 } from "std:clusters" with { $0 }')).toEqual(['nodes', 'racks', 'rack_gpus']);
  expect(await labels('import { dgx_h100 } from "std:clusters" with { no$0 }')).toEqual([
    'nodes',
    'racks',
    'rack_gpus',
  ]);
  expect(await labels('import { dgx_h100 } from "std:clusters" with { nodes = $0 }')).toEqual([]);
  expect(await labels('import { dgx_h100 } from "std:clusters" with { nodes = 8 $0 }')).toEqual(['racks', 'rack_gpus']);
});

test('nothing where nothing fits', async () => {
  for (const source of [
    '// com$0',
    'device $0',
    'device d$0',
    'import "std:hardware" $0',
    'let x = "te$0xt"',
    'device d { memory $0 }',
    'let x = 1 $0',
    'model m { layer $0 }',
  ])
    expect(await labels(source), source).toEqual([]);
});

test('a space opens a list only where a value is due', async () => {
  expect(await labels('device d { memory = 16GiB $0 }', ' ')).toEqual([]);
  expect(await labels('model m { precision = $0 }', ' ')).toContain('bf16');
});

test('a search offers pipelines, keys, their values and figures', async () => {
  expect(await labels(`${toy}\nsearch $0`)).toEqual(['train']);
  const keys = await labels(`${toy}\nsearch train {\n  $0\n}`);
  expect(keys).toEqual(
    expect.arrayContaining(['tensor', 'pipeline', 'chunks', 'micro_batch', 'recompute', 'minimise']),
  );
  expect(keys).not.toContain('stages');
  expect(await labels(`${toy}\nsearch train {\n  tensor in [1]\n  $0\n}`)).not.toContain('tensor');
  expect(await labels(`${toy}\nsearch train {\n  recompute in [$0]\n}`)).toContain('selective');
  expect(await labels(`${toy}\nsearch train {\n  recompute in $0\n}`)).toContain('selective');
  expect(await labels(`${toy}\nsearch train {\n  schedule in [1f1b, $0]\n}`)).toContain('zb_h1');
  expect(await labels(`${toy}\nsearch train {\n  minimise = $0\n}`)).toEqual(['iteration', 'peak_memory']);
  expect(await labels(`${toy}\nsearch train {\n  subject_to = $0\n}`)).toContain('peak_memory');
});

const sizes = 'param gap = 4ms\nparam b = 512MiB\nlet n = 4\n';

test('numbers of another dimension come last', async () => {
  const last = async (source: string) => (await labels(`${sizes}${source}`)).at(-1);
  const first = async (source: string) => (await labels(`${sizes}${source}`))[0];
  expect(await first('pipeline p { microbatches = $0 }')).toBe('n');
  expect(await last('pipeline p { microbatches = $0 }')).toBe('gap');
  expect(await first('model m { layer a { forward = $0 } }')).toBe('gap');
  expect(await last('model m { layer a { forward = $0 } }')).toBe('b');
  expect(await first('device d { memory = $0 }')).toBe('b');
  expect(await last(`${toy}\nexpect train { bubble < $0 }`)).toBe('gap');
  // Arguments of a function may be of any dimension, which another of them gives.
  expect(await first('device d { memory = max($0) }')).toBe('b');
});

test('a declaration is not offered to itself', async () => {
  expect(await labels(`${sizes}let x = $0`)).not.toContain('x');
  expect(await labels('device d { memory = 1GiB }\ndevice e { from = $0 }')).not.toContain('e');
});

test('what comes with the language is offered with its import', async () => {
  const device = (await complete('cluster c { gpu[8] = $0 }')).find(({ label }) => label === 'h100');
  expect(device?.additionalTextEdits).toMatchObject([{ newText: 'import { h100 } from "std:hardware"\n\n' }]);
  expect((device?.documentation as { value: string } | undefined)?.value).toContain('H100');
  expect((await labels('pipeline p { devices = $0 }'))[0]).toBe('dgx_h100');
  expect(await labels('device d { from = $0 }')).toContain('a100_80');
  const known = await complete('import { h100 } from "std:hardware"\ncluster c { gpu[8] = $0 }');
  expect(known[0]).toMatchObject({ label: 'h100' });
  expect(known[0]?.additionalTextEdits).toBeUndefined();
  expect(known.filter(({ label }) => label === 'h100')).toHaveLength(1);
  expect(known.find(({ label }) => label === 'b200')?.additionalTextEdits).toMatchObject([{ newText: ', b200' }]);
});

test('every word of an argument says what it means', async () => {
  for (const asked of [
    'stages = balance(4, by = $0)',
    'optimizer = adam(shard = $0)',
    'stages = plan($0)',
    'optimizer = megatron_bf16(moments = $0)',
  ]) {
    const found = await complete(`pipeline p { ${asked} }`);
    const words = found.filter(({ kind }) => kind === CompletionItemKind.EnumMember);
    expect(words.length).toBeGreaterThan(1);
    const meanings = words.map(({ documentation }) => (documentation as { value: string } | undefined)?.value);
    expect(meanings, asked).not.toContain(undefined);
    // Not one text for all of them.
    if (!asked.includes('moments')) expect(new Set(meanings).size, asked).toBe(words.length);
  }
});

test('an axis of a search has its values as the place to type over', async () => {
  const found = await complete(`${toy}\nsearch train { $0 }`);
  expect(found.find(({ label }) => label === 'tensor')?.textEdit).toMatchObject({ newText: 'tensor in [${1:8}]' });
});

test('keys that most pipelines have come before those that few have', async () => {
  const found = await labels('pipeline p { $0 }');
  expect(found.indexOf('stages')).toBe(4);
  expect(found.indexOf('tensor')).toBeLessThan(found.indexOf('documents'));
});

test('names that most files import, and optimizers that most pipelines have, come first', async () => {
  expect((await labels('import { $0 }'))[0]).toBe('h100');
  expect((await labels('import { $0 } from "std:models"'))[0]).toBe('llama3_8b');
  expect((await labels('pipeline p { optimizer = $0 }'))[0]).toBe('adam');
});
