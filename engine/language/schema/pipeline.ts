import { amountOf, whole, words, key, type BlockSchema, type KeySchema } from './types.ts';
import type { Word } from '../kinds.ts';
import { recompute } from './words.ts';

/** How devices share the layers of a stage; in a stage, instead of what the pipeline says. */
const meshKeys: readonly KeySchema[] = [
  key(
    'tensor',
    'tensor = 8',
    whole(1),
    'Tensor-parallel ranks of each stage; 1 unless said. Splits layers with a shape only.',
  ),
  key(
    'sequence_parallel',
    'sequence_parallel = true',
    words(
      ['true', 'Split norms and dropout over the tensor ranks too.'],
      ['false', 'Each tensor rank does all norms and dropout.'],
    ),
    'Sequence parallelism within the tensor group; false unless said.',
  ),
  key(
    'sequence',
    'sequence = true',
    words(['true', 'As `sequence_parallel = true`.'], ['false', 'As `sequence_parallel = false`.']),
    'The short name of `sequence_parallel`.',
  ),
  key(
    'context',
    'context = 2',
    whole(1),
    'Context-parallel ranks, which each have a part of every sequence and pass keys and values around a ring; 1 unless said. Splits layers with a shape only.',
  ),
  key('data', 'data = 2', whole(1), 'Data-parallel ranks; 1 unless said.'),
  key(
    'expert',
    'expert = 8',
    whole(1),
    'Expert-parallel ranks, among the data and context ranks, which each hold some of the experts; 1 unless said.',
  ),
  key(
    'expert_tensor',
    'expert_tensor = 1',
    whole(1),
    'Tensor ranks that split each expert: all of them unless said, or 1, which makes tensor ranks expert ranks.',
  ),
];
const groupWords: readonly Word[] = [
  { name: 'tensor', doc: 'All-reduces, or gathers and scatters, around each half of a layer.' },
  { name: 'context', doc: 'Blocks of keys and values, passed around a ring.' },
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
      'Layers of the stage. `a..b` includes both ends, `a..<b` leaves the last out.',
      {
        required: true,
        several: true,
      },
    ),
    key(
      'on',
      'on = gpu[0]',
      { kind: 'devices' },
      'Devices of the stage, by running number over the cluster, or a whole `node[n]`.',
    ),
    key(
      'recompute',
      'recompute = full',
      recompute,
      'What the stage computes again in the backward pass, instead of what the pipeline says.',
    ),
    ...meshKeys,
    key(
      'replicate',
      'replicate = split',
      words(
        ['split', 'Each replica takes a share of every microbatch.'],
        ['round_robin', 'Replicas take microbatches in turn; for `pipedream`.'],
      ),
      'How the devices of `on` share the work of the stage, where they are several replicas of it.',
    ),
  ],
};

export const pipeline: BlockSchema = {
  name: 'pipeline',
  doc: 'One model on one cluster under one schedule.',
  keys: [
    key('model', 'model = toy', { kind: 'name', of: 'model' }, 'What is trained.', { required: true }),
    key('devices', 'devices = box', { kind: 'name', of: 'cluster' }, 'The cluster that it is trained on.', {
      required: true,
    }),
    key('microbatches', 'microbatches = 8', whole(1), 'Microbatches of one iteration.', { required: true }),
    key(
      'stages',
      'stages = balance(4)',
      { kind: 'cut' },
      '`balance(n)`: n stages of the least possible slowest time; `by = memory` and `by = both` look at memory. `split(3, 4, 4, 3)`: layers of each stage. `plan(pipedream)`, `plan(dapple)`: stages and replicas as a planner makes them.',
    ),
    key('stage', 'stage first {\n  layers = embed\n}', { kind: 'any' }, 'One stage, in order.', {
      forms: ['block'],
      repeatable: true,
      block: 'stage',
    }),
    key(
      'schedule',
      'schedule = 1f1b',
      { kind: 'schedule' },
      'A built-in policy, with arguments in parentheses, or a `schedule` of this file.',
      { required: true },
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
      'Which ranks get consecutive devices, innermost first: tensor, context, data and pipeline ranks; `tp_cp_dp_pp` unless said.',
    ),
    key(
      'overlap',
      'overlap(tensor) = 60%',
      amountOf('share', { min: 0, max: 1 }),
      'Share of the traffic of `tensor`, `context` or `expert` ranks that may run beside computing; unless said 100 % of the context ranks’, beside the attention core, and none of the others’.',
      { forms: ['call'], repeatable: true, parameters: groupWords },
    ),
    key(
      'recompute',
      'recompute = selective',
      recompute,
      'What every stage computes again in the backward pass; none unless said.',
    ),
    key(
      'optimizer',
      'optimizer = adam_mixed',
      { kind: 'optimizer' },
      'Recipe of weights, gradients and optimizer state, such as `adam`, `adam_mixed(shard = fsdp)`, `megatron_bf16(shard = distributed)`, `custom(weight = 2, gradient = 4, state = 12)`. Unless said: weights and gradients only.',
    ),
    key(
      'sync',
      'sync = overlap',
      { kind: 'gradientSync' },
      'When gradients are exchanged. `end` (unless said): all at once after the last operation of a device. `overlap`: those of a layer as soon as the last backward of its stage has passed it; `overlap(bucket = 25MB)` collects layers until they have as many bytes.',
    ),
    key(
      'transfer',
      'transfer = buffered',
      { kind: 'transfer' },
      'How devices exchange results. `buffered`: transfers run beside the work of both devices. `rendezvous`: a send and its receive block both devices until the transfer is over; `rendezvous(batched = true)` issues together what goes to and comes from one device. `send_recv`, `all_gather` and `broadcast` are buffered, and say how stages of unlike meshes exchange data (the fastest way unless said); `scatter_gather` is that of Megatron-LM.',
    ),
    key(
      'fill',
      'fill = training(small)',
      { kind: 'fill' },
      'A model whose layers run where devices idle, each device with a job of its own: `inference(NAME)` (also the plain name) takes the forward time of a layer, `training(NAME)` forward and backward.',
    ),
    key(
      'fill_overhead',
      'fill_overhead = 2ms',
      amountOf('time'),
      'Time of a change between the pipeline and the fill job, before and after the tasks of an idle interval; 0 unless said.',
    ),
    key(
      'iterations',
      'iterations = 32',
      whole(1),
      'Iterations (updates of the weights) that an asynchronous schedule runs on end; figures are those of the last half. Unless said: enough to reach a steady state.',
    ),
  ],
};
