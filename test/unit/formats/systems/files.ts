/** Systems as their projects write them, both under Apache-2.0, without what no reader looks at. */

/** Calculon, systems/a100_80g.json. */
export const a100 = {
  matrix: {
    float16: {
      tflops: 312,
      gflops_efficiency: [
        [128, 0.95],
        [16, 0.9],
        [1, 0.6],
        [0, 0.1],
      ],
    },
  },
  vector: { float16: { tflops: 78, gflops_efficiency: [[0, 0.1]] } },
  mem1: {
    GiB: 80,
    GBps: 2048,
    MB_efficiency: [
      [100, 0.9],
      [10, 0.75],
      [1, 0.6],
      [0, 0.3],
    ],
  },
  mem2: { GiB: 512, GBps: 32, MB_efficiency: [[0, 0.3]] },
  processing_mode: 'no_overlap',
  networks: [
    {
      ...{ bandwidth: 300, efficiency: 0.65, size: 8, latency: 0.00001 },
      ops: { p2p: [1, null], reduce_scatter: [1.5, -1], all_gather: [1.5, -1], all_reduce: [2, -1] },
      ...{ must_be_filled: true, processor_usage: 0.15 },
    },
    {
      ...{ bandwidth: 25, efficiency: 0.9, size: 65536, latency: 0.00002 },
      ops: { p2p: [1, null], reduce_scatter: [1, 0], all_gather: [1, 0], all_reduce: [1, 0] },
      ...{ must_be_filled: false, processor_usage: 0.02 },
    },
  ],
};

/** aiconfigurator, a node of eight with the figures of h200_sxm. */
export const h200 = `data_dir: data/h200_sxm # relative to systems_dir
gpu:
  mem_bw: 4800000000000 # 4.8TB/s
  mem_bw_empirical_scaling_factor: 0.8 # judged
  mem_empirical_constant_latency: 0.000003 # 3us
  mem_capacity: 151397597184 # 141GiB
  bfloat16_tc_flops: 989000000000000
  int8_tc_flops: 1978000000000000
  fp8_tc_flops: 1978000000000000
  power: 700
  sm_version: 90
node:
  num_gpus_per_node: 8
  inter_node_bw: 50000000000
  intra_node_bw: 450000000000
  pcie_bw: 64000000000
  p2p_latency: 0.00001
misc:
  nccl_mem: # bytes by ranks
    1: 0
    2: 358612992
    4: 411041792
    8: 411041792
  other_mem: 3758096384
  nccl_version: '2.26.2'
`;

/** The same format with racks, figures of gb300. */
export const gb300 = `gpu:
  mem_bw: 8000000000000
  mem_capacity: 298013687808
  float16_tc_flops: 2500000000000000
  fp8_tc_flops: 5000000000000000
  fp4_tc_flops: 15000000000000000
node:
  num_gpus_per_node: 4
  num_gpus_per_rack: 72
  inter_rack_bw: 25000000000
  inter_node_bw: 900000000000
  intra_node_bw: 900000000000
  p2p_latency: 0.00001
  inter_rack_latency: 0.000005
`;
