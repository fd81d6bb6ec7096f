import { anyEngine, engines } from '../../engines/registry.ts';
import { amountOf, whole, words, key, type BlockSchema, type KeySchema, required } from './types.ts';
import type { Word } from '../kinds.ts';

/** How devices share the layers of a stage; in a stage, instead of what the pipeline says. */
const meshKeys: readonly KeySchema[] = [
  key('tensor', 'tensor = 8', whole(1), 'Tensor-parallel ranks of each stage. Splits layers with a shape only.', {
    default: '1',
  }),
  key(
    'sequence_parallel',
    'sequence_parallel = true',
    words(
      ['true', 'Split norms and dropout over the tensor ranks too.'],
      ['false', 'Each tensor rank does all norms and dropout.'],
    ),
    'Sequence parallelism within the tensor group.',
    { default: 'false' },
  ),
  key(
    'sequence',
    'sequence = true',
    words(['true', 'As `sequence_parallel = true`.'], ['false', 'As `sequence_parallel = false`.']),
    'The short name of `sequence_parallel`.',
    { default: 'false' },
  ),
  key(
    'context',
    'context = 2',
    whole(1),
    'Context-parallel ranks, which each have a part of every sequence. Splits layers with a shape only.',
    { see: ['costs/parallelism.md'], default: '1' },
  ),
  key(
    'context_exchange',
    'context_exchange = all_to_all',
    words(
      ['ring', 'Keys and values go around a ring, behind the attention core.'],
      [
        'all_gather',
        'All keys and values are gathered before the attention core, which waits, as in torchtitan and with `--cp-comm-type all_gather`.',
      ],
      ['all_to_all', 'Ranks give away heads of their tokens for tokens of their heads, as in DeepSpeed Ulysses.'],
    ),
    'How context ranks get the keys that their tokens meet.',
    { see: ['costs/parallelism.md'], default: { value: 'ring', or: '`all_gather` under torchtitan' } },
  ),
  key('data', 'data = 2', whole(1), 'Data-parallel ranks.', { default: '1' }),
  key(
    'expert',
    'expert = 8',
    whole(1),
    'Expert-parallel ranks, among the data and context ranks, which each hold some of the experts.',
    { default: '1' },
  ),
  key(
    'expert_tensor',
    'expert_tensor = 1',
    whole(1),
    'Tensor ranks that split each expert: a divisor of all tensor ranks. With 1, tensor ranks are expert ranks too.',
    { default: { otherwise: 'all tensor ranks' } },
  ),
];
const groupWords: readonly Word[] = [
  { name: 'tensor', doc: 'All-reduces, or gathers and scatters, around each half of a layer.' },
  { name: 'context', doc: 'Blocks of keys and values around a ring, or heads for tokens.' },
  { name: 'expert', doc: 'Tokens sent to their experts and back.' },
];

export const stage: BlockSchema = {
  name: 'stage',
  doc: 'Layers that run on one device.',
  keys: [
    key(
      'layers',
      'layers = block[0..3]',
      { kind: 'layers' },
      'Layers of the stage. `a..b` includes both ends, `a..<b` excludes the last.',
      {
        default: required,
        list: true,
      },
    ),
    key(
      'on',
      'on = gpu[0]',
      { kind: 'devices' },
      'Devices of the stage, by running number over the cluster, or a whole `node[n]`.',
      { default: { otherwise: 'the next devices, in the order of their numbers' } },
    ),
    key(
      'recompute',
      'recompute = full',
      { kind: 'recompute' },
      'What the stage recomputes in the backward pass. Overrides the pipeline.',
      { default: { otherwise: 'as the pipeline says' } },
    ),
    ...meshKeys.map((mesh): KeySchema => ({ ...mesh, default: { otherwise: 'as the pipeline says' } })),
    key(
      'replicate',
      'replicate = split',
      words(
        ['split', 'Each replica takes a share of every microbatch.'],
        ['round_robin', 'Replicas take microbatches in turn; for `pipedream`.'],
      ),
      'How the replicas on the devices of `on` share the work of the stage.',
      { default: { otherwise: 'none: a stage on more devices than its ranks need must say it' } },
    ),
  ],
};

export const pipeline: BlockSchema = {
  name: 'pipeline',
  doc: 'One model on one cluster under one schedule.',
  keys: [
    key('model', 'model = toy', { kind: 'name', of: 'model' }, 'The model to train.', { default: required }),
    key('devices', 'devices = box', { kind: 'name', of: 'cluster' }, 'The cluster to train on.', {
      default: required,
    }),
    key(
      'microbatches',
      'microbatches = 8',
      whole(1),
      'Microbatches of one iteration, on each data rank. `global_batch` may be set instead.',
      { default: required },
    ),
    key(
      'global_batch',
      'global_batch = 2048',
      { kind: 'quantity', dimension: 'number', integer: true, min: 1, orTokens: true },
      'Samples of one iteration over all data ranks, instead of `microbatches`: these are global_batch / (micro_batch · data). Or its tokens, `global_batch = 4Mtok`: tokens / `sequence` samples.',
      { default: { otherwise: 'what follows from `microbatches`' } },
    ),
    key(
      'tokens',
      'tokens = 15Ttok',
      { kind: 'lengths' },
      '`tokens = 15Ttok`: tokens of the whole training. The report then has its days and GPU-hours. `tokens(i) = …`, a list or a distribution such as `lognormal(mean = 3000, sigma = 0.6, seed = 1)`: tokens of a sample in microbatch i.',
      {
        see: ['look-up/language/pipeline.md#microbatches-of-different-lengths'],
        default: { otherwise: '`sequence` of the model for each sample, and no length of the training' },
        forms: ['value', 'call'],
        repeatable: true,
      },
    ),
    key(
      'documents',
      'documents = [1024, 1024, 2048]',
      { kind: 'lengths' },
      'Tokens of the documents that the sample of each microbatch is packed from: a list, `documents(i) = [1024, 64 * i]`, or a distribution, whose documents are packed one after the other. Attention stays inside a document.',
      {
        see: ['look-up/language/pipeline.md#microbatches-of-different-lengths'],
        default: { otherwise: 'one document in each sample' },
        forms: ['value', 'call'],
      },
    ),
    key(
      'stages',
      'stages = balance(4)',
      { kind: 'cut' },
      '`balance(n)`: n stages whose slowest is as fast as possible; `by = memory` and `by = both` consider memory. Without n, there are as many stages as the schedule puts on the devices. `split(3, 4, 4, 3)`: layers of each stage. `plan(pipedream)`, `plan(dapple)`, `plan(alpa)`, `plan(hetpipe)`: stages, with their replicas, ranks or devices, from a planner.',
      { see: ['look-up/language/pipeline.md#ways-to-cut'], default: { otherwise: 'what the `stage` blocks say' } },
    ),
    key('stage', 'stage first {\n  layers = embed\n}', { kind: 'any' }, 'One stage, in order.', {
      default: { otherwise: 'what `stages` says' },
      forms: ['block'],
      repeatable: true,
      block: 'stage',
    }),
    key(
      'schedule',
      'schedule = 1f1b',
      { kind: 'schedule' },
      'A built-in policy, with arguments in parentheses, or a `schedule` of this file.',
      { see: ['schedules/README.md'], default: required },
    ),
    ...meshKeys,
    key(
      'rank_order',
      'rank_order = tp_cp_dp_pp',
      words(
        ['tp_cp_dp_pp', 'Devices of one pipeline rank have consecutive numbers, as in Megatron-LM.'],
        [
          'tp_cp_pp_dp',
          'Devices of one data rank have consecutive numbers, as with `--use-tp-pp-dp-mapping`, and in Llama 3.',
        ],
      ),
      'Which ranks get consecutive devices, innermost first: tensor, context, data and pipeline ranks.',
      { default: 'tp_cp_dp_pp' },
    ),
    key(
      'place',
      'place = best',
      words(
        ['by_number', 'Stages take the devices of the cluster in the order of their numbers.'],
        [
          'best',
          'Stages without `on` take the devices with the fastest links: the least slowest hop, then the least sum of hops. The best 8 placements are simulated.',
        ],
      ),
      'How stages without `on` get their devices.',
      { see: ['look-up/language/pipeline.md#placement'], default: 'by_number' },
    ),
    key(
      'overlap',
      'overlap(tensor) = 60%',
      amountOf('share', { min: 0, max: 1 }),
      'Share of the communication of `tensor`, `context` or `expert` ranks that may overlap with compute.',
      {
        default: { otherwise: '100 % for context ranks (during the attention core), 0 % for the others' },
        forms: ['call'],
        repeatable: true,
        parameters: groupWords,
      },
    ),
    key(
      'recompute',
      'recompute = selective',
      { kind: 'recompute' },
      'What every stage recomputes in the backward pass: all of each layer (`full`), of some layers (`full(layers = 4)`), parts of each layer (`modules(mlp)`), or less.',
      { see: ['costs/activations.md#recomputation', 'schedules/recompute.md'], default: 'none' },
    ),
    key(
      'optimizer',
      'optimizer = adam_mixed',
      { kind: 'optimizer' },
      'Recipe of weights, gradients and optimizer state, such as `adam`, `adam_mixed(shard = fsdp)`, `megatron_bf16(shard = distributed)`, `custom(weight = 2, gradient = 4, state = 12)`.',
      { see: ['costs/state.md#weights-gradients-optimizer'], default: { otherwise: 'weights and gradients only' } },
    ),
    key(
      'offload',
      'offload = activations(layers = 4)',
      { kind: 'offload' },
      'Activations of the first layers of each stage go to the memory of the host after their forward, and come back before their backward, while other layers run.',
      { see: ['costs/activations.md#on-the-host'], default: { otherwise: 'all stay on the device' } },
    ),
    key(
      'sync',
      'sync = overlap',
      { kind: 'gradientSync' },
      'When gradients are exchanged. `end`: all at once after the last operation of a device. `overlap`: a layer’s gradients as soon as the last backward of its stage has passed it. `overlap(bucket = 25MB)` collects layers until they reach that size. Others are names for what a published system does: `ddp`, `megatron`, `horovod`, `bytescheduler`, …',
      { see: ['schedules/gradient_overlap.md', 'communication/README.md#rules'], default: 'end' },
    ),
    key(
      'collective',
      'collective = ring',
      { kind: 'collective' },
      'How ranks that hold the same weights exchange gradients: `ring`, `tree`, `halving`, `blueconnect`, `plink`, `trees`, `nccl`, parameter servers (`ps`), a measured `table("FILE")`, or the `best` of them.',
      {
        see: ['communication/README.md#collectives'],
        default: { otherwise: 'a ring, or rings inside nodes and between them if that is faster' },
      },
    ),
    key(
      'transfer',
      'transfer = buffered',
      { kind: 'transfer' },
      'How devices exchange results. `buffered`: transfers run while both devices work. `buffered(receive = all)` has receive buffers for every microbatch, as in PyTorch. `rendezvous`: a send and its receive block both devices until the transfer is over. `rendezvous(batched = true)` issues both directions as one batch. `send_recv`, `all_gather` and `broadcast` are buffered, and set how stages of different meshes exchange data (default: the fastest). `scatter_gather` works as in Megatron-LM.',
      {
        see: [
          'costs/activations.md#workspace-and-buffers',
          'schedules/rendezvous.md',
          'look-up/language/pipeline.md#data-between-different-stages',
        ],
        default: 'buffered',
      },
    ),
    key(
      'message_overhead',
      'message_overhead = 80us',
      amountOf('time'),
      'Time for which each message keeps the devices at both ends busy, in addition to the operation that makes or needs it. `calibrate` finds it in a run.',
      { see: ['costs/links.md#from-stage-to-stage'], default: '0s' },
    ),
    key(
      'jitter',
      'jitter = 5%',
      amountOf('share', { min: 0, max: 1 }),
      'Standard deviation of the time of each operation, as a share of it. The report then has the median, the 95th and the 99th percentile of the iteration. `jitter(stage = 3) = 10%` is for one stage.',
      {
        see: ['do/how-sure-is-a-gain.md'],
        default: { otherwise: 'each operation takes the time that its layers say' },
        forms: ['value', 'call'],
        repeatable: true,
        parameters: [{ name: 'stage', doc: 'The name of a stage, or its number in the cut, from 0.' }],
        sizes: 'number',
        stages: true,
      },
    ),
    key(
      'slow',
      'slow(device = 2) = 1.2',
      amountOf('number', { min: 0.01, max: 100 }),
      'A factor on the times of a device, to see what a slow device costs. The cut and the order stay as without it.',
      {
        default: { otherwise: '1 for each device' },
        forms: ['call'],
        repeatable: true,
        parameters: [{ name: 'device', doc: 'The number of the device in the pipeline, from 0.' }],
        sizes: 'number',
      },
    ),
    key(
      'fill',
      'fill = training(small)',
      { kind: 'fill' },
      'A model whose layers run while devices are idle, as a separate job on each device. `inference(NAME)` (or only the name) takes the forward time of a layer, `training(NAME)` forward and backward.',
      { see: ['schedules/fill.md'], default: { otherwise: 'none' } },
    ),
    key(
      'fill_overhead',
      'fill_overhead = 2ms',
      amountOf('time'),
      'Time of a switch between the pipeline and the fill job, before and after the tasks of an idle interval.',
      { see: ['schedules/fill.md'], default: '0s' },
    ),
    key(
      'engine',
      'engine = megatron',
      words(...engines.map(({ name, doc }): readonly [string, string] => [name, doc]), [
        anyEngine,
        'No engine in particular, whatever the setting `pipewright.engine` says.',
      ]),
      'The engine that trains it. What it does not run is reported, with the nearest that it runs.',
      { see: ['engines/README.md'], default: { value: 'any', or: 'the setting `pipewright.engine`' } },
    ),
    key(
      'measured',
      'measured = trace("traces/")',
      { kind: 'run' },
      'A recorded run of the pipeline: traces, or a folder of them. No other figure changes. The report then has the `drift` between the simulated and the measured iteration, which an `expect` may bound.',
      { see: ['look-up/language/pipeline.md#a-recorded-run'], default: { otherwise: 'none' } },
    ),
    key(
      'iterations',
      'iterations = 32',
      whole(1),
      'Consecutive iterations (weight updates) under an asynchronous schedule. Figures describe the last half.',
      { default: { otherwise: 'enough to reach a steady state' } },
    ),
  ],
};
