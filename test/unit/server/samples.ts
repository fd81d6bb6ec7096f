/** Files that several tests work on. */

/** Equal stages, so that every figure has a closed form: F = 8 ms, B = 16 ms a stage, p = 4, m = 8. */
export const toy = `/// Eight equal layers.
model toy {
  layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB }
}

device v100 { memory = 16GiB }
cluster box { gpu[4] = v100  link = 25GB/s }

/// How many microbatches.
param microbatches = 8 in 1..64 // a slider

pipeline train {
  model        = toy
  devices      = box
  microbatches = microbatches
  stages       = balance(4)
  schedule     = 1f1b
}

expect train { bubble < 30% }
`;

export const staged = `model two {
  layer a { forward = 1ms  backward = 2ms  weights = 1MiB  activation = 2MiB }
  layer b { forward = 1ms  backward = 2ms  weights = 1MiB  activation = 2MiB }
}
device card { memory = 1GiB }
cluster pair { gpu[2] = card  link = 25GB/s + 5us }
pipeline run {
  model = two
  devices = pair
  microbatches = 4
  stage first { layers = a }
  stage second { layers = b }
  schedule = gpipe
}
expect run { peak_memory(stage = first) < 1GiB }
`;
