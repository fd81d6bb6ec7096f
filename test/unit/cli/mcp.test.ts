/** An agent's client against the server, in one process. */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMcpServer } from '../../../cli/mcp/server.ts';
import { tools } from '../../../cli/mcp/tools.ts';
import { run } from '../../../cli/run.ts';
import { mostBytes, mostCharacters } from '../../../cli/summary/summary.ts';
import { overview } from '../../../cli/help.ts';
import { commands } from '../../../cli/commands/index.ts';
import { call, good, repository, worldOf } from './harness.ts';

/** One device is never idle, so that no other schedule is tried. */
const quick = good.replace('gpu[4]', 'gpu[1]').replace('balance(4)', 'balance(1)').replace('16GiB', '80GiB');

const world = worldOf({
  files: { 'good.pipe': good, 'quick.pipe': quick, 'bad.pipe': 'device d { memory = 80Gib }\n' },
});
const client = new Client({ name: 'agent', version: '1' });

beforeAll(async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createMcpServer(world.io, run).connect(theirs);
  await client.connect(ours);
});
afterAll(() => client.close());

interface Answer {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly link?: string;
}

async function use(name: string, given: Record<string, unknown>): Promise<Answer> {
  const { content, structuredContent = {}, isError = false } = await client.callTool({ name, arguments: given });
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const [link] = content.flatMap((part) => (part.type === 'resource_link' ? [part.uri] : []));
  expect(text.length).toBeLessThanOrEqual(mostCharacters);
  expect(Buffer.byteLength(JSON.stringify(structuredContent))).toBeLessThanOrEqual(mostBytes);
  return { text, data: structuredContent as Answer['data'], isError, ...(link === undefined ? {} : { link }) };
}

const length = (value: string): number => Buffer.byteLength(value);

test('an agent with --help and these tools plans Qwen2.5-72B on 32 H100s, in at most 12 calls and 20 kB', async () => {
  const help = overview(commands.map(({ spec }) => spec));
  expect(help).toContain('explain language');
  const listed = await client.listTools();
  let calls = 1;
  let text = length(help) + length(JSON.stringify(listed.tools));
  let data = text;
  const ask = async (name: string, given: Record<string, unknown>): Promise<Answer> => {
    const answer = await use(name, given);
    calls += 1;
    text += length(answer.text);
    data += length(JSON.stringify(answer.isError ? answer.text : answer.data));
    return answer;
  };
  // A first guess of a name is wrong, and the answer has the right one.
  const wrong = await ask('plan', { model: 'qwen2_5_72', on: 'dgx_h100', nodes: 4, batch: '32' });
  expect(wrong).toMatchObject({ isError: true });
  const [, model = ''] = /Did you mean "(\w+)"/u.exec(wrong.text) ?? [];
  expect(model).toBe('qwen2_5_72b');
  // Few rows, to be cheap: the calls are what an agent makes.
  const over =
    'tensor = [8], pipeline = [2], micro_batch = [1], schedule = [1f1b, interleaved_1f1b], chunks = [5], recompute = [none], optimizer = [megatron_bf16(shard = distributed)]';
  const found = await ask('plan', { model, on: 'dgx_h100', nodes: 4, batch: '32', over, time: '600s' });
  expect(found.text).toMatch(/^train: \d+ rows on 32 devices, 32 samples an iteration\nNo other of/);
  const file = String(found.data['text']);
  expect(file).toContain('import { qwen2_5_72b } from "std:models"');
  await ask('explain', { name: 'language' });
  await ask('explain', { name: 'memory/headroom' });
  const checked = await ask('check', { text: file, limit: 4 });
  expect(checked.data).toMatchObject({ errors: 0 });
  const simulated = await ask('simulate', { text: file });
  const [pipeline] = simulated.data['pipelines'] as { fits: boolean; iteration_seconds: number }[];
  const [best] = found.data['front'] as { iteration_seconds: number }[];
  expect(pipeline.fits).toBe(true);
  expect(pipeline.iteration_seconds).toBe(best.iteration_seconds);
  const compared = await ask('compare', { text: file, schedules: ['1f1b', 'zb_h1'] });
  expect(compared.text).toContain('The fastest that fits is');
  await ask('format', { text: file });
  expect(calls).toBeLessThanOrEqual(12);
  expect({ text: text <= 20_000, data: data <= 20_000 }, `${text} and ${data} bytes`).toEqual({
    text: true,
    data: true,
  });
});

describe('the tools', () => {
  test('change nothing, and each says what it takes and gives', async () => {
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(
      'check fix simulate compare plan search export explain format'.split(' '),
    );
    for (const { annotations, outputSchema, inputSchema, description } of listed) {
      expect(annotations?.readOnlyHint).toBe(true);
      expect(Object.keys(outputSchema?.properties ?? {}).length).toBeGreaterThan(1);
      expect(Object.keys(inputSchema.properties ?? {}).length).toBeGreaterThan(1);
      expect(description).toMatch(/\.$/);
    }
  });

  test('give the fields that they name, and no others', async () => {
    const calls: readonly (readonly [string, Record<string, unknown>])[] = [
      ['check', { path: 'quick.pipe', fixes: true }],
      ['fix', { path: 'bad.pipe', code: 'syntax/unit' }],
      ['simulate', { path: 'quick.pipe', set: { microbatches: 16 } }],
      ['compare', { path: 'good.pipe', schedules: ['gpipe', '1f1b'] }],
      ['search', { path: 'good.pipe' }],
      ['explain', { name: 'tensor' }],
      ['export', { path: 'good.pipe', to: 'torch-csv' }],
      ['format', { path: 'quick.pipe' }],
    ];
    for (const [name, given] of calls) {
      const { data, isError } = await use(name, given);
      expect(isError, name).toBe(false);
      const { output } = tools.find((tool) => tool.name === name) ?? { output: {} };
      expect(Object.keys(data).filter((key) => !Object.hasOwn(output, key))).toEqual([]);
    }
    expect(world.called().files['bad.pipe']).toContain('80Gib');
  });

  test('fix and format give the file', async () => {
    const fixed = await use('fix', { path: 'bad.pipe', code: 'syntax/unit' });
    expect(fixed.data).toMatchObject({ text: 'device d { memory = 80GiB }\n', errors: 0 });
    const text = 'device d   {memory=80GiB}';
    const formatted = await use('format', { text });
    expect(formatted.data).toEqual({ changed: true, text: 'device d { memory = 80GiB }\n' });
    expect((await use('format', { text: String(formatted.data['text']) })).data).toMatchObject({ changed: false });
  });

  test('fix repairs what has one spelling, and keeps the canonical layout', async () => {
    const text = good
      .replace('device', 'import { dgx_h100 } from "std:cluster"\n\ndevice')
      .replace('schedule ', 'schedul  ');
    const canonical = String((await use('format', { text })).data['text']);
    const fixed = await use('fix', { text: canonical });
    const written = String(fixed.data['text']);
    expect(written).toContain('from "std:clusters"');
    expect(written).toMatch(/^ {2}schedule +=/mu);
    expect((await use('format', { text: written })).data).toMatchObject({ changed: false });
    // A local file may be yet to come.
    const local = await use('fix', { text: canonical.replace('std:cluster', 'clusterz.pipe') });
    expect(String(local.data['text'])).toContain('clusterz.pipe');
  });

  test('export gives the file, and says what it leaves out', async () => {
    const answer = await use('export', { path: 'good.pipe', to: 'torch-csv' });
    expect(answer.isError).toBe(false);
    const { out, err } = await call(['export', 'good.pipe', '--to', 'torch-csv'], { files: { 'good.pipe': good } });
    expect(answer.data['text']).toBe(out);
    const notes = err
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '');
    expect(answer.data['left_behind']).toHaveLength(notes.length);
    const program = await use('export', { path: 'good.pipe', to: 'torch-script' });
    const { contents } = await client.readResource({ uri: program.link ?? '' });
    const whole = (contents as { text: string }[])[0].text;
    const printed = await call(['export', 'good.pipe', '--to', 'torch-script'], { files: { 'good.pipe': good } });
    expect(whole).toBe(printed.out);
    expect(whole.length).toBeGreaterThan(String(program.data['text']).length);
    expect((await use('export', { path: 'good.pipe' })).text).toContain('`to` is missing');
  });

  test('a model by its name on Hugging Face leads to the library, and the tokens of a sample are an assumption', async () => {
    const asked = { on: 'dgx_h100', nodes: 4, batch: '32' };
    expect((await use('plan', { ...asked, model: 'Qwen/Qwen2.5-72B' })).text).toContain('Did you mean "qwen2_5_72b"?');
    const over =
      'tensor = 8, pipeline = 1, context = 1, micro_batch = 1, schedule = 1f1b, recompute = none, sync = end';
    const { text } = await use('plan', {
      on: 'dgx_h100',
      nodes: 1,
      batch: '64',
      model: 'gpt2',
      over: over.replace('tensor = 8', 'tensor = 1'),
    });
    expect(text).toMatch(/Assumption: a sample has 1,024 tokens, as the model says\./u);
  });

  test('take a text, alone or as a file that is not saved', async () => {
    const alone = await use('simulate', { text: quick });
    const unsaved = await use('simulate', { path: 'bad.pipe', text: quick });
    const saved = await use('simulate', { path: 'quick.pipe' });
    expect(alone.data).toEqual(saved.data);
    expect(unsaved.data).toEqual(saved.data);
  });

  test('give values to params', async () => {
    const { text } = await use('simulate', { path: 'quick.pipe', set: { microbatches: 16 } });
    expect(text).toContain('Microbatches: 16');
  });

  test.each([
    ['check', {}, 'Give `path`, the name of a file, or `text`, the file itself.'],
    ['check', { path: 'gone.pipe' }, 'gone.pipe cannot be read: there is no such file.'],
    ['check', { path: '/etc/hosts' }, '/etc/hosts cannot be read: it is outside the working folder.'],
    ['check', { path: '../a.pipe' }, '../a.pipe cannot be read: it is outside the working folder.'],
    ['check', { file: 'good.pipe' }, 'check takes no `file`.'],
    ['check', { path: 7, set: [] }, '`set` takes an object of names and values, such as {"microbatches": 16}.'],
    ['simulate', { path: 'quick.pipe', pipeline: 'trian' }, 'Did you mean "train"?'],
    ['simulate', { path: 'quick.pipe', set: { mcrobatches: 3 } }, 'Did you mean'],
    ['plan', { path: 'good.pipe', limits: ['nonsense'] }, 'nonsense'],
    ['plan', { model: 'gpt2' }, '`on` and `batch` are missing.'],
    ['plan', { path: 'good.pipe', model: 'gpt2' }, 'these stand for a file'],
    ['explain', {}, '`name` is missing'],
    ['explain', { name: 'tensr' }, 'Did you mean "tensor"?'],
    ['format', { text: 'pipeline x {' }, 'Not formatted.'],
    ['nothing', {}, 'There is no tool "nothing".'],
  ])('answer %s %j with a sentence', async (name, given, sentence) => {
    const answer = await use(name, given);
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(sentence);
    expect(answer.text).not.toMatch(/--(?!help)[a-z]+/);
  });

  test('read no file through an import that leads outside', async () => {
    const { text } = await use('check', { text: 'import { x } from "../../etc/hosts"\n' });
    expect(text).toContain('import/');
    expect(text).not.toContain('localhost');
  });

  test('explain long pages in parts', async () => {
    const whole = (await call(['explain', 'language'])).out;
    let page = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { data } = await use('explain', { name: 'language', offset });
      page += String(data['text']);
      offset = data['next_offset'] as number | undefined;
    }
    expect(page).toBe(whole);
  });
});

describe('resources', () => {
  test('are the pages and the examples of the package', async () => {
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listResources(cursor === undefined ? {} : { cursor });
      listed.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const first = await client.listResources();
    const bytes = Buffer.byteLength(JSON.stringify(first.resources));
    expect(bytes / first.resources.length).toBeLessThan(90);
    expect(listed).toContain('pipewright://docs/language.md');
    expect(listed).toContain('pipewright://examples/quickstart.pipe');
    expect(listed.filter((uri) => /\.(png|webp)$/.test(uri))).toEqual([]);
    const { contents } = await client.readResource({ uri: 'pipewright://docs/schedules/zb_h1.md' });
    expect(JSON.stringify(contents)).toContain('# zb_h1');
  });

  test('have the whole report of an answer, as the command line prints it', async () => {
    const { link = '' } = await use('simulate', { path: 'quick.pipe' });
    const { contents } = await client.readResource({ uri: link });
    const [content] = contents as { text: string; mimeType: string }[];
    expect(content.mimeType).toBe('application/json');
    const files = { 'quick.pipe': quick };
    const report = JSON.parse((await call(['simulate', 'quick.pipe', '--format', 'json'], { files })).out) as object;
    expect(JSON.parse(content.text)).toEqual(report);
  });

  test('are no other files', async () => {
    for (const uri of [
      'pipewright://package.json',
      'pipewright://docs/../package.json',
      `file://${repository}/README.md`,
    ])
      await expect(client.readResource({ uri })).rejects.toThrow(/no such resource/);
  });
});
