/** Flags of a launch script that the `.pipe` file does not carry, though they may change time or memory. */
import type { Flags } from './flags.ts';

/** Flags that change neither: data, logging, checkpoints, learning rates, seeds, the launcher's addresses. */
const without =
  /^(?:lr(?:-|$)|min-lr|log-|logging|save|load|ckpt|data-|dataloader|train-|valid-|test-|eval-|split|seed|weight-decay|adam-|clip-grad|init-method|wandb|tensorboard|tokenizer|vocab-file|merge-file|num-workers|master-|node-rank|rdzv|distributed-(?:backend|timeout)|exit-|no-(?:load|save)|use-(?:checkpoint|mcore|cpu-init)|timing|profile|rotary-|norm-epsilon|layernorm-epsilon|mock-data|override-opt|finetune|max-position|position-embedding|use-rotary|attention-softmax|no-masked|start-weight|end-weight|weight-|loss-scale|initial-loss|hysteresis|dist-ckpt|async-save|auto-detect|manual-gc|mscale|moe-(?:router-(?:load|score|topk-scaling|bias|dtype|pre-softmax)|aux-loss|z-loss|grouped-gemm)|mtp-loss|bf16$|world-size|standalone|nnodes|nproc-per-node|override|patience|rope-|scatter-gather|ignore-|standard|(?:no-)?check-|accumulate-allreduce-grads-in-fp32|record-memory|init-model-with-meta|sample$|cpuctxsw|trace$|capture-range|cuda-(?:graph-trace|memory-usage)|optimizer$|transformer-impl|use-legacy|decoupled-|apply-layernorm-1p|calculate-per-token|empty-unused|no-(?:create-attention|mmap-bin|position-embedding)|moe-permute-fusion|num-shared-experts|enable-shared-expert|tiktoken|fp8-amax|fp8-margin|moe-use-legacy|extra-vocab)/;

/** Whether a flag changes neither time nor memory. */
export const isWithoutEffect = (name: string): boolean => without.test(name);

/** Tokens reach their experts by all-to-all here; `flex` does it with other kernels. */
const isUsual = (name: string, value: string | undefined): boolean =>
  name === 'moe-token-dispatcher-type' && (value === 'alltoall' || value === 'flex');

/** In the order of the script, as they are written there. */
export function notCarried(flags: Flags, read: ReadonlySet<string>): readonly string[] {
  return [...flags].flatMap(([name, { flag, value }]) => {
    if (read.has(name) || without.test(name) || isUsual(name, value?.text)) return [];
    const text = flag.text.split('=')[0];
    return [value === undefined || value.text === '' ? text : `${text} ${value.text}`.slice(0, 80)];
  });
}
