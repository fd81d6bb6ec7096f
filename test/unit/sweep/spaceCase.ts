/** Small pipelines of each shape of model, without a search. */
import { defaultSpace } from '../../../engine/sweep/space/space.ts';
import { sweepCase } from './sweepCase.ts';

export const devices = `device card { memory = 24GiB  compute = 100TFLOPS  bandwidth = 1TB/s  efficiency = 50% }
cluster box {
  node[2] {
    gpu[4] = card
    link   = 100GB/s + 3us
  }
  link = 10GB/s + 10us
}
`;
const llama = 'gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false';

export const dense = (more = '', block = `heads = 12, ${llama}`) => `model dense {
  sequence = 8192
  layer embed = embedding(vocab = 32000, hidden = 1536)
  layer block[12] = transformer(hidden = 1536, ${block})
  layer head = lm_head(vocab = 32000, hidden = 1536${more})
}
`;
export const pipeline = (model: string, more = '', optimizer = 'adam_mixed') => `pipeline train {
  model        = ${model}
  devices      = box
  data         = 2
  optimizer    = ${optimizer}
  global_batch = 16
  stages       = balance(4)
  schedule     = 1f1b
  ${more}
}
`;
export const mixture = `model moe {
  sequence = 4096
  layer embed = embedding(vocab = 32000, hidden = 1024)
  layer block[8] = transformer(hidden = 1024, heads = 8, ${llama}, experts = 8, experts_per_token = 2, expert_ffn = 1024)
  layer head = lm_head(vocab = 32000, hidden = 1024)
}
`;
export const latent = `model mla {
  sequence = 4096
  layer embed = embedding(vocab = 32000, hidden = 1024)
  layer block[6] = transformer(hidden = 1024, heads = 8, ${llama}, q_lora_rank = 256, kv_lora_rank = 128,
      qk_nope_head_dim = 64, qk_rope_head_dim = 32, v_head_dim = 64, experts = 8, experts_per_token = 2, expert_ffn = 512)
  layer head = lm_head(vocab = 32000, hidden = 1024)
}
`;
export const measured = `model timed {
  layer block[8] { forward = 4ms  backward = 8ms  weights = 1GiB  activation = 512MiB  output = 1MiB }
}
`;
export const adapted = `model lora {
  sequence = 2048
  trainable = lora(rank = 16)
  layer embed = embedding(vocab = 32000, hidden = 2048)
  layer block[8] = transformer(hidden = 2048, heads = 16, ${llama})
  layer head = lm_head(vocab = 32000, hidden = 2048)
}
`;

export const caseOf = (text: string) => {
  const { base } = sweepCase('recompute = none', { text });
  const space = defaultSpace(base);
  return { base, axes: space.axes, space };
};
