/** Random `.pipe` files of derived layers on meshes of ranks: most of them run, the others are wrong in the ways that people are. */
import * as fc from '../../support/property.ts';

const pick = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
/** `usual` for most files, `others` for some. */
const mostly = <T>(usual: fc.Arbitrary<T>, others: fc.Arbitrary<T>, weight = 20): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: others });
/** A text for one file in `weight` + 1, none for the others. */
const seldom = (text: fc.Arbitrary<string>, weight = 3): fc.Arbitrary<string> => mostly(fc.constant(''), text, weight);

const llama = 'gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false';
const latent = 'kv_lora_rank = 128, q_lora_rank = 192, qk_nope_head_dim = 64, qk_rope_head_dim = 32, v_head_dim = 64';
const blocks = pick(
  'transformer(hidden = 1024, heads = 16)',
  `transformer(hidden = 1024, heads = 16, kv_heads = 4, ffn = 2816, ${llama}, swiglu = recompute)`,
  'transformer(hidden = 1024, heads = 16, causal = true, window = 64)',
  `transformer(hidden = 512, heads = 8, experts = 8, experts_per_token = 2, capacity = 1.25, ${llama})`,
  `transformer(hidden = 512, heads = 8, experts = 16, experts_per_token = 4, expert_ffn = 256, shared_experts = 1, router_bias = true, ${latent}, ${llama})`,
  `transformer(hidden = 1024, heads = 16, ${latent}, ${llama})`,
  'linear(inputs = 1024, outputs = 1024)',
  'custom(flops = 3GFLOP, traffic = 2MiB, params = 100000, activation = 5MiB, output = 1MiB)',
  'transformer(hidden = 1024, heads = 16, qk_norm = true, ffn = 4096)',
  'custom(flops = 1FLOP, traffic = 0B, params = 0, activation = 0B, output = 0B)',
);
const ends = pick('', 'both', 'both', 'mtp');

/** Ranks of a stage: tensor, context, data. */
const mesh = pick<readonly [number, number, number]>(
  [1, 1, 1],
  [2, 1, 1],
  [1, 2, 1],
  [1, 1, 2],
  [2, 1, 2],
  [2, 2, 1],
  [1, 2, 2],
  [2, 2, 2],
  [1, 1, 4],
  [4, 1, 1],
  [8, 1, 1],
  [1, 1, 3],
);
/** Sequence parallelism where experts need it, and expert ranks that divide the ranks that they are among, for most. */
const meshKeys = fc
  .record({
    mesh,
    sequence: seldom(pick('true', 'false'), 1),
    expert: mostly(pick(1, 1, 2, 4), pick(3, 0, 99), 30),
    expertTensor: seldom(mostly(pick('1', '2'), pick('3', '0', '99'), 10), 4),
  })
  .map(({ mesh: [tensor, context, data], sequence, expert, expertTensor }) => {
    const among = context * data * (expertTensor === '1' ? tensor : 1);
    const usual = expert === 1 || expert === 2 || expert === 4;
    const spread = !usual || among % expert === 0 ? expert : 1;
    const needed = tensor > 1 && (spread > 1 || expertTensor !== '') ? 'true' : sequence;
    const keys = {
      tensor: tensor === 1 ? '' : String(tensor),
      context: context === 1 ? '' : String(context),
      data: data === 1 ? '' : String(data),
      sequence_parallel: needed,
      expert: spread === 1 ? '' : String(spread),
      expert_tensor: tensor === 1 && usual ? '' : expertTensor,
    };
    return {
      devices: tensor * context * data,
      keys: Object.entries(keys)
        .map(([name, value]) => (value === '' ? '' : `  ${name} = ${value}`))
        .join(''),
    };
  });

const rate = mostly(
  pick('25GB/s + 5us', '300GB/s + 3us', '1GB/s', '100GB/s + 1ms'),
  pick('1B/s', '1e20B/s + 1e-20s', '0GB/s', 'shared(25GB/s + 5us)', 'half(25GB/s + 5us)'),
  12,
);
/** Entries of a cluster of `count` devices. */
const clusters = fc
  .record({ form: pick(0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 6), inner: rate, outer: rate, nodes: pick(1, 2, 4) })
  .map(({ form, inner, outer, nodes }) => (count: number): string => {
    const each = Math.max(1, Math.ceil(count / nodes));
    const port = inner.replace(/^\w+\((.*)\)$/, '$1');
    const uplink = outer.replace(/^\w+\((.*)\)$/, '$1');
    switch (form) {
      case 0:
      case 1:
        return `gpu[${count}] = card  link = ${outer}`;
      case 2:
      case 3:
        return `node[${nodes}] { gpu[${each}] = card  link = ${inner} }  link = ${outer}`;
      case 4:
        return `switch fabric {}  node[${nodes}] { gpu[${each}] = card  switch nic { ports = gpu[0..${each - 1}]  link = ${port} }  link nic -- fabric = ${uplink} }`;
      case 5:
        return `node[${nodes}] { gpu[${each}] = card  link = ${inner} }`;
      default:
        return `node[${nodes}] { gpu[${Math.ceil(each / 2)}] = card  gpu[${each}] = other  link = ${inner} }  link = ${outer}`;
    }
  });

const device = fc
  .record({
    memory: mostly(pick('80GiB', '16GiB', '4GiB'), pick('64MiB', '1B', '1e20B')),
    reserved: seldom(mostly(pick('framework'), pick('1GiB', '99GiB')), 1),
    bandwidth: seldom(pick('2TB/s'), 1),
    efficiency: seldom(pick('efficiency = 45%', 'efficiency(fp8) = 38%  compute(fp8) = 200TFLOPS'), 2),
    sizes: seldom(
      pick(
        'efficiency = 10%  efficiency(1GFLOP) = 60%  efficiency(16GFLOP) = 90%',
        'efficiency = 10%  efficiency(16GFLOP) = 80%  efficiency(fp8) = 5%  efficiency(fp8, 1GFLOP) = 30%  compute(fp8) = 200TFLOPS',
      ),
    ),
    moved: seldom(pick('memory_efficiency = 80%', 'memory_efficiency = 30%  memory_efficiency(10MB) = 75%')),
    launch: seldom(mostly(pick('4us', '0us'), pick('1h', '-1us'))),
    overlap: seldom(mostly(pick('0%', '50%', '100%'), pick('101%', '-1%'))),
    speed: seldom(pick('2', '0.5')),
  })
  .map(
    ({ memory, reserved, bandwidth, efficiency, sizes, moved, launch, overlap, speed }) =>
      `memory = ${memory}  compute = 100TFLOPS  ${sizes === '' ? efficiency : sizes}  ${moved}` +
      Object.entries({ reserved, bandwidth, launch, memory_overlap: overlap, speed })
        .map(([name, value]) => (value === '' ? '' : `  ${name} = ${value}`))
        .join(''),
  );

const recipes = pick('adam', 'adam_mixed', 'megatron_bf16', 'megatron_fp8', 'deepspeed_bf16', 'sgd', 'momentum_mixed');
const optimizer = fc
  .record({
    recipe: recipes,
    shard: seldom(pick('none', 'zero1', 'distributed', 'zero2', 'zero3', 'fsdp'), 1),
    over: seldom(mostly(pick('1', '2', '4'), pick('3', '0', '-1', '1e9'))),
    reshard: seldom(pick('false', 'true')),
    step: seldom(pick('3ms', '0ms')),
  })
  .map(({ recipe, ...more }) => {
    const written = Object.entries(more).flatMap(([name, value]) => (value === '' ? [] : [`${name} = ${value}`]));
    return written.length === 0 ? recipe : `${recipe}(${written.join(', ')})`;
  });
const pipelineKeys = fc
  .record({
    optimizer: seldom(optimizer, 1),
    sync: seldom(
      mostly(
        pick('overlap', 'end', 'overlap(bucket = 25MB)', 'overlap(bucket = 1B)'),
        pick('overlap(bucket = 0B)', 'wfbp'),
      ),
      2,
    ),
    transfer: seldom(
      mostly(
        pick(
          'send_recv',
          'all_gather',
          'all_gather(scope = cluster)',
          'all_gather(scope = node)',
          'broadcast',
          'broadcast(chunks = 4)',
          'scatter_gather',
          'rendezvous',
          'rendezvous(reshard = broadcast)',
          'rendezvous(batched = true, reshard = all_gather)',
          'buffered',
        ),
        pick('broadcast(chunks = 0)', 'broadcast(chunks = 1e9)', 'rendezvous(reshard = rendezvous)'),
      ),
      1,
    ),
    rank_order: seldom(pick('tp_cp_dp_pp', 'tp_cp_pp_dp')),
    place: seldom(mostly(pick('best', 'by_number'), pick('worst'))),
    'overlap(tensor)': seldom(mostly(pick('0%', '60%', '100%'), pick('120%'))),
    'overlap(context)': seldom(pick('0%', '60%', '100%')),
    'overlap(expert)': seldom(pick('0%', '60%', '100%')),
    recompute: seldom(pick('full', 'stage', 'selective', 'none'), 2),
    fill: seldom(pick('net', 'training(net)'), 8),
  })
  .map((all) =>
    Object.entries(all)
      .map(([name, value]) => (value === '' ? '' : `  ${name} = ${value}\n`))
      .join(''),
  );

const schedules = pick(
  ['gpipe', 1],
  ['1f1b', 1],
  ['1f1b', 1],
  ['eager_1f1b', 1],
  ['zb_h1', 1],
  ['interleaved_1f1b(chunks = 2)', 2],
  ['breadth_first(chunks = 2)', 2],
  ['zb_v', 2],
  ['dualpipe', 1],
  ['chimera', 1],
  ['hanayo(waves = 1)', 2],
  ['seq1f1b', 1],
  ['torchgpipe', 1],
  ['zb_auto', 1],
  ['bpipe', 1],
  ['pipedream', 1],
  ['pipedream_2bw', 1],
  ['dapple', 1],
  ['v_half', 2],
) satisfies fc.Arbitrary<readonly [string, number] | (string | number)[]>;

interface Cut {
  readonly form: number;
  readonly stageMeshes: readonly { readonly devices: number; readonly keys: string }[];
  readonly stageKeys: readonly string[];
}
const cuts: fc.Arbitrary<Cut> = fc.record({
  form: fc.nat(5),
  stageMeshes: fc.array(
    fc.oneof({ weight: 2, arbitrary: fc.constant({ devices: 0, keys: '' }) }, { weight: 1, arbitrary: meshKeys }),
    { minLength: 1, maxLength: 4 },
  ),
  stageKeys: fc.array(seldom(mostly(pick('recompute = full', 'recompute = stage'), pick('replicate = split')), 6), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** A whole file: a model, a cluster, one pipeline or two, and expectations. */
export const anyMesh: fc.Arbitrary<string> = fc
  .record({
    block: blocks,
    more: seldom(blocks, 2),
    ends,
    precision: seldom(mostly(pick('bf16', 'fp8', 'fp32', 'fp16'), pick('fp7')), 2),
    sequence: mostly(pick(128, 512, 2048), pick(1, 7, 131072)),
    micro: mostly(pick(1, 2, 4), pick(3, 0)),
    cluster: clusters,
    device,
    mesh: meshKeys,
    cut: cuts,
    schedule: schedules,
    ranks: pick(1, 2, 2, 4),
    microbatches: mostly(pick(4, 8, 2, 12), pick(1, 3)),
    keys: pipelineKeys,
    spare: mostly(pick(0, 0, 1), pick(-1, 8)),
    expects: seldom(
      pick(
        'mfu > 1%',
        'mfu > 0  peak_memory < 16GiB',
        'exposed_communication < 10%  mfu <= 100%',
        'bubble(stage = 0) < 20%',
      ),
      2,
    ),
  })
  .map((file) => {
    const [schedule, chunks] = file.schedule as readonly [string, number];
    const stages = file.ranks * chunks;
    const { form, stageMeshes, stageKeys } = file.cut;
    const own = (stage: number) => stageMeshes[stage % stageMeshes.length];
    const written = form >= 3;
    // Chunks of one rank have its mesh.
    const devices = written
      ? Array.from({ length: file.ranks }, (_, rank) => own(rank).devices || file.mesh.devices).reduce(
          (a, b) => a + b,
          0,
        )
      : file.mesh.devices * file.ranks;
    const layers = [
      ...(file.ends === '' ? [] : ['layer embed = embedding(vocab = 32000, hidden = 1024)']),
      `layer block[${stages * 2}] = ${file.block}`,
      ...(file.more === '' ? [] : [`layer tail[2] = ${file.more}`]),
      ...(file.ends === 'mtp' ? [`layer ahead = mtp(vocab = 32000, hidden = 1024, heads = 16, ${llama})`] : []),
      ...(file.ends === '' ? [] : ['layer head = lm_head(vocab = 32000, hidden = 1024, tied = true)']),
    ];
    const names = layers.map((line) => /layer (\w+)/.exec(line)?.[1] ?? '');
    const before = names.slice(0, names.indexOf('block'));
    const behind = names.slice(names.indexOf('block') + 1);
    const cut = written
      ? Array.from({ length: stages }, (_, stage) => {
          const all = [
            ...(stage === 0 ? before : []),
            `block[${2 * stage}..${2 * stage + 1}]`,
            ...(stage === stages - 1 ? behind : []),
          ];
          const meshed = chunks === 1 ? own(stage).keys : '';
          return `  stage s${stage} { layers = ${all.join(', ')}  ${meshed}  ${stageKeys[stage % stageKeys.length]} }\n`;
        }).join('')
      : form === 2
        ? `  stages = balance(${stages}, by = memory)\n`
        : form === 1
          ? `  stages = balance(${stages}, by = both)\n`
          : `  stages = balance(${stages})\n`;
    return (
      `model net {\n  sequence = ${file.sequence}  micro_batch = ${file.micro}${file.precision === '' ? '' : `  precision = ${file.precision}`}\n` +
      `  ${layers.join('\n  ')}\n}\ndevice card { ${file.device} }\ndevice other { memory = 24GiB  compute = 50TFLOPS  reserved = framework }\n` +
      `cluster pod { ${file.cluster(Math.max(1, devices + file.spare))} }\n` +
      `pipeline train {\n  model = net  devices = pod  microbatches = ${file.microbatches}  schedule = ${schedule}\n${cut}${file.mesh.keys}\n${file.keys}}\n` +
      (file.expects === '' ? '' : `expect train { ${file.expects} }\n`)
    );
  });
