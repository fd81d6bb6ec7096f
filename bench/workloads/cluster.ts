/** Llama 3.1 405B as it was trained (Llama Team, 2024, table 4): tensor 8, pipeline 16, data 128 on 16,384 H100s. */
export const clusterFile = (stages: number, schedule: string): string => `import { h100 } from "std:hardware"
import { llama3_1_405b } from "std:models"
model llama {
  from        = llama3_1_405b
  micro_batch = 1
}
cluster pod {
  node[2048] {
    gpu[8] = h100
    link   = 370GB/s + 3us
  }
  link = 50GB/s + 10us
}
pipeline train {
  model             = llama
  devices           = pod
  tensor            = 8
  sequence_parallel = true
  data              = 128
  optimizer         = megatron_bf16(shard = distributed)
  microbatches      = 16
  stages            = balance(${stages})
  schedule          = ${schedule}
}
`;
