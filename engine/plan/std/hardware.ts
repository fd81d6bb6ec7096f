/** The text of `std:hardware`. Rates are dense; data sheets print sparse ones, which are twice as high. */
export const hardware: string = `// Accelerators to import: \`import { h100 } from "std:hardware"\`.
// \`memory\` is what the framework reports as usable, less than the label says; \`reserved\` is a context (1.5 GiB) and one
// communicator (0.5 GiB). \`compute\` is the dense 16-bit peak, \`efficiency\` the share of it that the kernels of large
// transformer layers reach, fitted to published training runs. Copy a device into your own file to change it.

/// Tesla V100 SXM2, 16 GB: fp16 tensor cores, no bf16.
/// Sources: V100 data sheet (125 TFLOPS, 900 GB/s).
device v100 {
  memory     = 15.8GiB
  reserved   = 2GiB
  compute    = 125TFLOPS
  bandwidth  = 900GB/s
  efficiency = 38%
}

/// A100 SXM4, 40 GB.
/// Sources: A100 data sheet (1555 GB/s); torchtitan get_peak_flops (312 TFLOPS).
device a100_40 {
  memory     = 39.4GiB
  reserved   = 2GiB
  compute    = 312TFLOPS
  bandwidth  = 1555GB/s
  efficiency = 55%
}

/// A100 SXM4, 80 GB.
/// Sources: A100 data sheet (2039 GB/s); torchtitan get_peak_flops (312 TFLOPS).
device a100_80 {
  memory     = 79.1GiB
  reserved   = 2GiB
  compute    = 312TFLOPS
  bandwidth  = 2039GB/s
  efficiency = 55%
}

/// H100 SXM5, 80 GB.
/// Sources: H100 data sheet (3350 GB/s); torchtitan get_peak_flops (989 TFLOPS).
device h100 {
  memory     = 79.1GiB
  reserved   = 2GiB
  compute    = 989.4TFLOPS
  bandwidth  = 3350GB/s
  efficiency = 45%
}

/// H200 SXM, 141 GB.
/// Sources: H200 data sheet (4800 GB/s); torchtitan get_peak_flops (989 TFLOPS).
device h200 {
  memory     = 139.8GiB
  reserved   = 2GiB
  compute    = 989.4TFLOPS
  bandwidth  = 4800GB/s
  efficiency = 45%
}
`;
