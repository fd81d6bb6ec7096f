/**
 * A file that has every construct. `§` stands before a token that may be left out and leaves another good text, if with
 * another meaning; every other token is needed.
 */
export const marked = `import "hardware.pipe"
import { h100, dgx_h100 } from "std:hardware"

/// Eight equal layers.
/// Two lines of text.
model toy {
  sequence = 2048  micro_batch = 1  precision = bf16
  §layer §block[8] { forward = 4ms  backward = 8ms  weights = 256MiB }
  §layer §embed = embedding(vocab = 51200, hidden = 4096)
  §layer §c { after = [block, embed] }
}

device v100 { memory = 16GiB }
cluster mixed {
  node[4] { gpu[8] = h100 }
  gpu[0..1] = v100
  link gpu[0] -- gpu[1] = 150GB/s + 1us
  link = §shared(12GB/s + 4us)
}

param microbatches = 8 in 1..64 step 2
let half = (microbatches / 2)

schedule mine {
  in_flight(s) = min(§stages - s, microbatches)
  row(0) = §F[0..<§stages - 1], B[0, stage = k]
  order = greedy(prefer §= [I, W])
  param §k = 3 in 1..64 step 2
  §let §warm(d) = 2 * d
  §let §ahead = each(j in 0..<stages step 2, §F[j]), take(2, §B[k..§0 §step §-1])
  require mod(stages, 2) == 0
}

pipeline train { model = toy  devices = mixed }
expect train { bubble < 30%  peak_memory(stage = first) >= 15GiB }
`;

export const good = marked.replaceAll('§', '');
