import { describe, expect, test } from 'vitest';
import { bytes } from '../../../engine/basics/quantities.ts';
import type { PlanAnswer } from '../../../engine/sweep/answer.ts';
import { call } from './harness.ts';

const plan = (args: string, files: Readonly<Record<string, string>> = {}) =>
  call(['plan', ...args.split(' '), '--threads', '1'], { files });
const few =
  '--over recompute=[none,full],tensor=4,pipeline=2,context=1,micro_batch=1,schedule=1f1b,sync=end --engine megatron';

describe('plan without a file', () => {
  test('gives a cluster whose nodes are racks its racks', async () => {
    const ofRacks = (nodes: string) =>
      plan(
        `--model gpt2 --on gb200_nvl72 --nodes ${nodes} --batch 1152 --over tensor=1,pipeline=1,micro_batch=1,schedule=1f1b,context=1,recompute=none --write best`,
      );
    const even = await ofRacks('2');
    expect(even.out).toContain(
      '// 64 of the 72 GPUs of each rack train, so ranks are powers of two. 8 are spare.\nimport { gb200_nvl72 } from "std:clusters" with { racks = 2  rack_gpus = 64 }\n',
    );
    expect(even.out).toMatch(/^ {2}data *= 128$/mu);
    expect(even.err).toContain('8 are spare. To train on all of them: --nodes 2x72.');
    const all = await ofRacks('2x72');
    expect(all.out).toContain('import { gb200_nvl72 } from "std:clusters" with { racks = 2 }\n');
    expect(all.out).toMatch(/^ {2}data *= 144$/mu);
    expect(all.err).not.toContain('spare');
    const odd = await ofRacks('1x60');
    expect(odd.out).toContain('// 60 of the 72 GPUs of each rack train. 12 are spare.\n');
  });

  test('makes one, answers, and writes the best row', async () => {
    const { status, out, err, files } = await plan(
      `--model gpt2 --on dgx_h100 --nodes 1 --batch 64 ${few} --output best.pipe`,
    );
    expect(status).toBe(0);
    expect(out).toContain('train: 2 rows on 8 devices, 64 samples an iteration');
    expect(out).not.toContain('as written');
    expect(err).toContain('best.pipe is row ');
    const written = files['best.pipe'] ?? '';
    expect(written).toContain('import { dgx_h100 } from "std:clusters" with { nodes = 1 }\n');
    // One data rank has nothing to split.
    expect(written).toMatch(/^ {2}data *= 1$/mu);
    expect(written).toMatch(/^ {2}optimizer +\S* *= megatron_bf16\(clip = true\)$/mu);
    expect(written).toMatch(/^ {2}sequence_parallel = true$/mu);
    const { status: checked, out: findings } = await call(['check', 'best.pipe'], { files: { 'best.pipe': written } });
    expect({ checked, findings }).toMatchObject({ checked: 0 });
    const again = await call(['simulate', 'best.pipe', '--format', 'json'], { files: { 'best.pipe': written } });
    const [{ iteration }] = (JSON.parse(again.out) as { pipelines: { iteration: number }[] }).pipelines;
    const json = await plan(`--model gpt2 --on dgx_h100 --nodes 1 --batch 64 ${few} --format json`);
    const answer = JSON.parse(json.out) as PlanAnswer;
    expect(answer.points.find(({ row }) => row === answer.best)?.iteration).toBe(iteration);
    const shown = await plan(`--model gpt2 --on dgx_h100 --nodes 1 --batch 64 ${few} --write best`);
    expect(shown.out).toBe(written);
  });

  test('chooses the space without --over', async () => {
    const { out } = await plan('--model gpt2 --on dgx_h100 --nodes 1 --batch 8 --engine deepspeed --details');
    expect(out).toContain('There is no search block for train, so these values were chosen.');
    expect(out).toContain('  tensor 1, 2, 4 · ');
  });

  test('fixes the keys of --over, and chooses all others as without it', async () => {
    const asked = '--model gpt2 --on dgx_h100 --nodes 1 --batch 64 --engine deepspeed --format json';
    const answerOf = async (over: string) => JSON.parse((await plan(`${asked}${over}`)).out) as PlanAnswer;
    const free = await answerOf('');
    const pinned = await answerOf(' --over pipeline=[2]');
    // The rows of the whole space with these ranks, no more and no fewer.
    expect(pinned.search).toEqual(
      free.search.map((axis) => (axis.key === 'pipeline' ? { key: 'pipeline', values: ['2'] } : axis)),
    );
    expect(pinned.search.find(({ key }) => key === 'tensor')?.values).toEqual(['1', '2', '4']);
    expect(pinned.left_out?.[0]).toEqual({ what: 'pipeline other than 2', why: '--over names its values' });
    expect(free.left_out?.map(({ what }) => what)).not.toContain('pipeline other than 2');
    const { out } = await plan(`${asked.replace(' --format json', '')} --over pipeline=[2] --details`);
    const text = out.replaceAll(/\s+/gu, ' ');
    expect(text).toContain('so --over fixes the values that it names, and the other ones were chosen.');
    expect(text).not.toContain('Not searched');
  });

  test('chooses around given ranks: chunks for these, tensor ranks with sequence parallelism', async () => {
    const { out } = await plan(
      '--model gpt2 --on dgx_h100 --nodes 1 --batch 64 --engine megatron --over pipeline=[2],schedule=[interleaved_1f1b],micro_batch=1',
    );
    // On two ranks, 12 blocks divide into 2, 3 or 6 equal chunks of each, and all 14 layers into 7.
    expect(out).toContain('schedule interleaved_1f1b · chunks 2, 3, 6, 7 · ');
  });

  test('takes a model from a file that import reads, and says what was assumed', async () => {
    const config = JSON.stringify({
      ...{ model_type: 'llama', num_hidden_layers: 4, hidden_size: 1024, num_attention_heads: 8 },
      ...{ num_key_value_heads: 8, intermediate_size: 2816, vocab_size: 32000 },
    });
    const axolotl = (base: string): string =>
      `base_model: ${base}\nsequence_len: 1024\nmicro_batch_size: 1\nadapter: \ndatasets: []\n`;
    const script =
      '--num-layers 4 --hidden-size 1024 --num-attention-heads 8 --seq-length 1024 --pipeline-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 16 --max-position-embeddings 1024';
    for (const [name, text] of [
      ['config.json', config],
      ['run.sh', script],
      ['known.yaml', axolotl('openai-community/gpt2')],
    ]) {
      const { status, out, err } = await plan(`--model ${name} --on dgx_a100 --nodes 1 --batch 16 ${few}`, {
        [name]: text,
      });
      expect(err).not.toContain('Try "');
      expect(status).toBe(0);
      expect(out).toContain('2 rows on 8 devices, 16 samples an iteration');
    }
    const unknown = await plan(`--model own.yaml --on dgx_a100 --nodes 1 --batch 16 ${few}`, {
      'own.yaml': axolotl('our/own'),
    });
    expect(unknown).toMatchObject({ status: 2, out: '' });
    expect(unknown.err).toContain('--model own.yaml does not say which model it trains');
  });

  test('writes ranks with ranks, and the exchange behind the optimizer', async () => {
    const row =
      '--over tensor=1,pipeline=1,context=2,micro_batch=1,schedule=1f1b,recompute=full,sync=overlap --engine megatron';
    const { out, err } = await plan(`--model gpt2 --on dgx_h100 --nodes 1 --batch 16 ${row} --write 0`);
    // A number is of one space, so the row says what it has.
    expect(err).toMatch(/Row 0:[\da-f]{6} has tensor 1, pipeline 1, context 2, micro_batch 1, /u);
    const [, body = ''] = out.split('pipeline train {\n');
    // The line of `sequence_parallel` goes, behind which `context` would stand.
    expect(body).not.toContain('\n\n');
    expect(body.match(/^ {2}\w+/gmu)?.map((key) => key.trim())).toEqual([
      ...['model', 'devices', 'tensor', 'context', 'data', 'recompute', 'global_batch', 'stages', 'schedule'],
      ...['optimizer', 'sync', 'engine'],
    ]);
  });

  test.each([
    ['Qwen/Qwen2.5-72B-Instruct', 'qwen2_5_72b'],
    ['meta-llama/Meta-Llama-3.1-8B', 'llama3_1_8b'],
    ['deepseek-ai/DeepSeek-V3-Base', 'deepseek_v3'],
    ['mistralai/Mixtral-8x7B-v0.1', 'mixtral_8x7b'],
  ])('names the model of the library for %s', async (repository, name) => {
    const { err } = await plan(`--model ${repository} --on dgx_h100 --nodes 1 --batch 16`);
    expect(err).toContain(`Did you mean "${name}"?`);
  });

  test('rounds tokens to samples that ranks share, and says so', async () => {
    const { err: ofSamples } = await plan(`--model gpt2 --on dgx_h100 --nodes 1 --batch 64 ${few}`);
    expect(ofSamples).toContain('The batch has 65,536 tokens.');
    const { out, err } = await plan(`--model gpt2 --on dgx_h100 --nodes 1 --batch 100Ktok ${few}`);
    // 97.7 samples of 1,024 tokens on eight devices.
    expect(err).toContain(
      '100,000 tokens are 97.7 samples of 1,024 tokens. The batch is 96 samples (98,304 tokens, 1.7 % less), a multiple of 8, which data ranks can share.',
    );
    expect(out).toContain('96 samples an iteration');
    const { err: none } = await plan(`--model gpt2 --on dgx_h100 --nodes 1 --batch 65536tok ${few}`);
    expect(none).not.toContain('tokens are');
  });

  test('gives ranks that do not share the samples a number near them, and compares by time for the same number', async () => {
    const asked =
      '--model gpt2 --on dgx_h100 --nodes 5 --batch 100Ktok --engine megatron --over tensor=1,pipeline=[4,5],context=1,micro_batch=1,schedule=1f1b,recompute=none,sync=end';
    const { out } = await plan(asked);
    expect(out).toContain('2 rows on 40 devices, 100 samples an iteration');
    expect(out).toMatch(/^ {2}row +iteration +samples +for 100 samples +peak memory/mu);
    // Five pipeline ranks leave eight data ranks.
    expect(out).toMatch(/^ {2}1:.* 96 \(−4 %\) /mu);
    const answer = JSON.parse((await plan(`${asked} --format json`)).out) as PlanAnswer;
    const [ten, eight] = answer.points;
    expect(answer).toMatchObject({ batch: 100, batch_asked: 97.65625 });
    expect(ten.batch).toBeUndefined();
    expect(eight).toMatchObject({ data: 8, batch: 96, scaled: (eight.iteration * 100) / 96 });
    expect((await plan(`${asked} --format csv`)).out).toMatch(new RegExp(`,96,${eight.scaled},[\\da-f]{6}\r\n`, 'u'));
    const { out: written } = await plan(`${asked} --write 1`);
    expect(written).toMatch(/^ {2}global_batch *= 96$/mu);
    const again = await call(['simulate', 'a.pipe', '--format', 'json'], { files: { 'a.pipe': written } });
    const [{ iteration }] = (JSON.parse(again.out) as { pipelines: { iteration: number }[] }).pipelines;
    expect(iteration).toBe(eight.iteration);
  });

  test('takes the tokens of a sample that are asked for, and says which were taken of a long window', async () => {
    const asked =
      '--model mixtral_8x22b --on dgx_h100 --nodes 16 --batch 1048576tok --over pipeline=8,tensor=8,expert=8,recompute=full';
    const remark = 'Assumption: a sample has 65,536 tokens, as the model says. To change it: --sequence 8k.';
    const usual = await plan(asked);
    expect(usual.err).toContain(remark);
    expect(usual.out).toContain('16 samples an iteration');
    const written = new Set<string>();
    for (const tokens of ['8k', '8192', '8K']) {
      const { out, err } = await plan(`${asked} --sequence ${tokens} --write 0`);
      expect(err).not.toContain('--sequence');
      expect(out).toContain('model mixtral_8x22b_8192 { from = mixtral_8x22b  sequence = 8192 }');
      expect(out).toMatch(/^ {2}global_batch *= 128$/mu);
      written.add(out);
    }
    expect(written.size).toBe(1);
    const { status, out: findings } = await call(['check', 'a.pipe'], { files: { 'a.pipe': [...written][0] } });
    expect({ status, findings }).toMatchObject({ status: 0 });
    const { err: short } = await plan(`--model gpt2 --on dgx_h100 --nodes 1 --batch 64 ${few}`);
    expect(short).toContain('Assumption: a sample has 1,024 tokens, as the model says.');
    const config = (positions: number) => ({
      'config.json': JSON.stringify({
        ...{ model_type: 'llama', num_hidden_layers: 4, hidden_size: 1024, num_attention_heads: 8 },
        ...{ intermediate_size: 2816, vocab_size: 32000, max_position_embeddings: positions },
      }),
    });
    const ofFile = `--model config.json --on dgx_h100 --nodes 1 --batch 16 ${few}`;
    expect((await plan(ofFile, config(131072))).err).toContain(
      'Assumption: a sample has 4,096 tokens, as the model says. The model allows 131,072. To change it: --sequence 8k.',
    );
    const { out: longer } = await plan(`${ofFile} --sequence 32k --write 0`, config(131072));
    expect(longer).toContain('model imported_32768 { from = imported  sequence = 32768 }');
  });

  test.each([
    ['--model gpt2 --on dgx_h100 --nodes 2x8 --batch 8', 'the number of GPUs of a node of dgx_h100 is fixed'],
    ['--model gpt2 --on gb200_nvl72 --nodes 2x80 --batch 8', 'a rack of gb200_nvl72 has 72 GPUs'],
    ['--model gpt2 --on gb200_nvl72 --nodes 2x6 --batch 8', 'Name 4, 8, … or 72 of them.'],
    ['--model gpt2 --on gb200_nvl72 --nodes x72 --batch 8', 'such as 4x72, not "x72"'],
    ['--model gpt2 --on dgx_h100 --nodes 1 --batch 8 --sequence 8Ktok', '--sequence takes the tokens of a sample'],
    ['--model gpt2 --on dgx_h100 --nodes 1 --batch 8 --sequence 0', 'not "0"'],
    ['a.pipe --sequence 8k', 'Leave out a.pipe, or --sequence: these options stand for a file.'],
    [
      '--model gtp2 --on dgx_h100 --nodes 1 --batch 8',
      'std:models has no such model, and there is no such file. Did you mean "gpt2"?',
    ],
    ['--model gpt2 --on dgx_h10 --nodes 1 --batch 8', 'std:clusters has no such cluster. Did you mean "dgx_h100"?'],
    [
      '--model gpt2 --on dgx_h100 --batch 8',
      '--nodes is missing: how many nodes of dgx_h100 are there? For example --nodes 16.',
    ],
    ['--model gpt2 --on dgx_h100 --nodes 1', '--batch is missing. Example: pipewright plan --model '],
    ['--nodes 4', '--model, --on and --batch are missing. Example: '],
    ['--model gpt2 --on dgx_h100 --nodes 0 --batch 8', '--nodes takes a whole number of at least 1'],
    ['--model gpt2 --on dgx_h100 --nodes 1 --batch 4M', 'such as 512, or its tokens, such as 4Mtok, not "4M"'],
    ['--model gpt2 --on dgx_h100 --nodes 1 --batch 0.5', 'not "0.5"'],
    [
      '--model gpt2 --on dgx_h100 --nodes 125 --batch 3',
      'A batch of 3 samples cannot be split over the data ranks of 1,000 devices. The nearest that can: ',
    ],
    ['--model no.json --on dgx_h100 --nodes 1 --batch 8', 'no.json cannot be read'],
    ['a.pipe --model gpt2', 'Leave out a.pipe, or --model: these options stand for a file.'],
  ])('%s is refused', async (args, problem) => {
    const { status, out, err } = await plan(args);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(problem);
  });
});

describe('where no row fits', () => {
  test('names the nodes with which one does, as it was simulated', async () => {
    const asked = '--model llama2_70b --on dgx_h100 --engine deepspeed';
    const { status, out } = await plan(`${asked} --nodes 1 --batch 16`);
    expect(status).toBe(1);
    const text = out.replaceAll('\n', ' ');
    expect(text).toMatch(/None of the [\d,]+ rows fits\./u);
    const [, nodes, peak, settings = ''] = /With (\d+) nodes it fits: ([\d.]+ GiB), .*?\((.*?)\)\./u.exec(text) ?? [];
    // The row is one of the space with these nodes.
    const over = settings
      .split(/, (?=\w+ )/u)
      .map((setting) => setting.replace(' ', '='))
      .join(',');
    const args = ['plan', ...`${asked} --nodes ${nodes} --batch 16 --threads 1 --format json --over`.split(' '), over];
    const [point] = (JSON.parse((await call(args, { files: {} })).out) as PlanAnswer).points;
    expect(bytes(point.peak)).toBe(peak);
  });

  test('names a value of a key that was not searched', async () => {
    const { out } = await plan(
      '--model llama2_13b --on dgx_h100 --nodes 1 --batch 64 --over tensor=1,recompute=none,pipeline=1,optimizer=adam_mixed',
    );
    expect(out).toMatch(/None of the|The only row does not fit/u);
    expect(out.replaceAll('\n', ' ')).toMatch(/With optimizer = adam_mixed\(shard = fsdp\) it fits: /u);
  });
});

test('an unknown param "nodes" says how a cluster gets other nodes', async () => {
  const file = (head: string) =>
    `${head}\nimport { gpt2 } from "std:models"\npipeline train { model = gpt2  devices = dgx_h100  microbatches = 8  stages = balance  schedule = 1f1b }\n`;
  const hint = async (head: string) => (await plan('a.pipe --set nodes=4', { 'a.pipe': file(head) })).err;
  expect(await hint('import { dgx_h100 } from "std:clusters"')).toContain(
    'add `nodes` to the names of the import, or write `with { nodes = 4 }` behind it.',
  );
  expect(await hint('import { dgx_h100 } from "std:clusters" with { nodes = 2 }')).toContain(
    'Did you mean "dgx_h100.nodes"?',
  );
  expect(
    await hint(
      'import { h100 } from "std:hardware"\ncluster dgx_h100 { node[2] { gpu[8] = h100  link = 1GB/s }  link = 1GB/s }',
    ),
  ).toContain('write "param nodes = 4" above it, and `node[nodes]` in it.');
});
