/** Made by scripts/scheduleTexts.ts from engine/std/schedules/: change the files there, then run it. */
export const scheduleTexts: ReadonlyMap<string, string> = new Map([
  [
    '1f1b',
    `/// One forward, one backward after a short warm-up. A device holds at most one microbatch for itself and each device behind it.
/// Sources: Narayanan et al., "Memory-Efficient Pipeline-Parallel DNN Training" (2021), section 3.2, arXiv:2006.09503
/// (PipeDream-Flush); Fan et al., "DAPPLE" (2021), arXiv:2007.01045 (policy A).
schedule 1f1b {
  /// Forwards before the first backward: one for this device and one for each device behind it.
  let warm(d) = min(microbatches, devices - d)

  /// Then one backward, one forward. The backwards that are left follow.
  row(d) = F[0..<warm(d)], zip(B[0..<microbatches], F[warm(d)..<microbatches])
}
`,
  ],
  [
    '1f1b_v',
    `/// 1F1B-V: about two thirds of the activation memory of 1F1B, with whole backwards. The slots of one microbatch repeat every
/// six slots. Then operations move forward to where a device would idle.
/// Source: Qi et al., "Pipeline Parallelism with Controllable Memory" (2024), arXiv:2405.15362.
schedule 1f1b_v {
  placement = v_shape
  period    = 6
  fill      = true

  /// Stages behind this one.
  let nth(s) = stages - 1 - s
  /// A backward takes two slots. A pause of three slots after every third backward keeps the operations of a device apart.
  let before = if(mod(devices, 3) == 0, 3, 0)
  let paused = if(mod(devices, 3) == 0, 1, if(mod(devices, 3) == 1, 0, 2))

  slot(F, s) = s
  slot(B, s) = stages + before + 2 * nth(s) + 3 * div(paused + nth(s), 3)
}
`,
  ],
  [
    'breadth_first',
    `/// All microbatches go through one chunk, then through the next. Backwards run in reverse, as in PyTorch's LoopedBFS.
/// Source: Lamy-Poirier, "Breadth-First Pipeline Parallelism" (2023), arXiv:2211.05953.
schedule breadth_first {
  /// Stages of each device.
  param chunks = 2 in 1..64

  placement = loop(chunks)
  row(d) = each(c in 0..<chunks, F[0..<microbatches, chunk = c]),
      each(c in chunks-1..0 step -1, B[microbatches-1..0 step -1, chunk = c])
}
`,
  ],
  [
    'chimera',
    `/// Pipelines that run down and up over the same devices fill each other's idle slots. Each holds a copy of the weights.
/// Source: Li and Hoefler, "Chimera: Efficiently Training Large-Scale Neural Networks with Bidirectional Pipelines" (2021),
/// sections 3.1, 3.5 and 3.6, arXiv:2107.06925.
schedule chimera {
  /// Pipelines, half of them down and half up. Each holds a copy of the weights.
  param pipelines = 2 in 2..64
  require mod(pipelines, 2) == 0
  require mod(devices, pipelines) == 0

  /// Microbatches of one pipeline that enter before their backwards follow.
  let group      = devices / pipelines
  /// Pipelines 0, 2, … run down and begin 2p / n devices apart. Pipelines 1, 3, … are their mirror images.
  let begin(j)   = div(mod(j, pipelines), 2) * 2 * group
  let down(s, j) = mod(s + begin(j), devices)
  on(s, j)       = if(mod(j, 2) == 0, down(s, j), devices - 1 - down(s, j))

  /// The first slot of a microbatch. Microbatches of a group enter two slots apart.
  let turn(j)  = div(j, pipelines)
  let start(j) = 2 * devices * div(turn(j), group) + 2 * mod(turn(j), group)

  slot(F, s, j) = start(j) + s
  slot(B, s, j) = start(j) + 2 * devices - 1 - s
}
`,
  ],
  [
    'dapple',
    `/// 1F1B, limited to the microbatches that fit in memory. This is policy A. Policy B warms up with 2(p - d) - 1 forwards, as
/// \`eager_1f1b\` does.
/// Source: Fan et al., "DAPPLE: A Pipelined Data Parallel Approach for Training Large Models" (2021), arXiv:2007.01045.
schedule dapple {
  /// Most microbatches that a device may hold. Below the number of devices, the iteration gets longer.
  param in_flight = microbatches in 1..max(1024, microbatches)

  let warm(d) = min(microbatches, in_flight, devices - d)

  row(d) = F[0..<warm(d)], zip(B[0..<microbatches], F[warm(d)..<microbatches])
}
`,
  ],
  [
    'dualpipe',
    `/// Microbatches enter at both ends: even ones at the first device, odd ones at the last. A forward of one direction shares its
/// slot with a backward of the other. The weights are held twice.
/// Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 3.2.1, arXiv:2412.19437, in the eight steps of the code
/// that was published with it.
schedule dualpipe {
  /// Share of the shorter one of a forward and a backward in one slot that runs in parallel with the longer one.
  param overlap = 0% in 0%..100%
  require mod(devices, 2) == 0
  require mod(microbatches, 2) == 0
  require microbatches >= 2 * devices

  placement = bidirectional

  /// Devices from an end to the middle, and microbatches of each direction.
  let half       = devices / 2
  let m          = microbatches / 2
  /// Devices between the nearer end and this one, and between this one and the middle.
  let place(d)   = min(d, devices - 1 - d)
  let below(d)   = half - 1 - place(d)
  /// Microbatch number k of the direction that enters at the nearer end, and of the direction that leaves there.
  let near(d, k) = 2 * k + if(d < half, 0, 1)
  let far(d, k)  = 2 * k + if(d < half, 1, 0)

  /// A forward of one direction and a backward of the other in one slot.
  let nearFar(d, k, j) = fused(F[near(d, k)], B[far(d, j)], overlap = overlap)
  let farNear(d, k, j) = fused(F[far(d, k)], B[near(d, j)], overlap = overlap)
  /// In the middle, the first two do not share a slot.
  let pair(d, k, j)    = if(k > half, nearFar(d, k, j), [F[near(d, k)], B[far(d, j)]])
  /// Turns of the steady phase.
  let turns(d)         = m - 2 * half + place(d) + 1

  /// The last backwards are split from this one on, so that weight gradients fill the end.
  let split(d)        = div(place(d) + 1, 2)
  let splitsFar(d, k) = k + mod(place(d), 2) > split(d)
  let late(d, k)      = far(d, m - place(d) - 1 + k)
  let last(d, k)      = near(d, m - half + k)
  let lateBack(d, k)  = if(splitsFar(d, k), I[late(d, k)], B[late(d, k)])
  let lastBack(d, k)  = if(k >= split(d), I[last(d, k)], B[last(d, k)])
  /// Their weight gradients, in the order of the input gradients.
  let lateLeft(d, k)  = if(splitsFar(d, k), W[late(d, k)], [])
  let splitLeft(d)    = each(k in split(d)..place(d), lateLeft(d, k), W[last(d, k)])
  let left(d)         = splitLeft(d), each(k in m-below(d)..<m, W[near(d, k)])

  /// Devices below let forwards of the near end pass, then both directions enter.
  let step1(d)     = each(k in 0..<2*below(d), F[near(d, k)])
  let step2(d)     = each(k in 0..place(d), F[near(d, 2 * below(d) + k)], F[far(d, k)])
  /// The first backwards come from the far end.
  let step3(d)     = each(k in 0..<below(d), I[far(d, k)], W[far(d, k)], F[far(d, place(d) + 1 + k)])
  /// The steady phase: each slot has a forward and a backward.
  let enters(d, k) = pair(d, 2 * half - place(d) - 1 + k, below(d) + k)
  let step4(d)     = each(k in 0..<turns(d), enters(d, k), farNear(d, half + k, k))
  /// No forwards of the near end are left.
  let leaves(d, k) = farNear(d, half + turns(d) + k, turns(d) + k)
  let step5(d)     = each(k in 0..<below(d), B[far(d, below(d) + turns(d) + k)], leaves(d, k))
  /// No forwards are left.
  let step6(d)     = each(k in 0..place(d), lateBack(d, k), lastBack(d, k))
  /// Weight gradients fill the waiting times.
  let step7(d)     = zip(take(below(d), left(d)), each(k in m-below(d)..<m, I[near(d, k)]))
  let step8(d)     = drop(below(d), left(d))

  row(d) = step1(d), step2(d), step3(d), step4(d), step5(d), step6(d), step7(d), step8(d)
}
`,
  ],
  [
    'dualpipe_v',
    `/// DualPipe cut in half to a V. A forward of one chunk shares its slot with a backward of the other. PyTorch's
/// ScheduleDualPipeV has the same order.
/// Source: Qi et al., "DualPipe could be better without the Dual" (2025), as published with DualPipe.
schedule dualpipe_v {
  /// Share of the shorter one of a forward and a backward in one slot that runs in parallel with the longer one.
  param overlap = 0% in 0%..100%
  require microbatches >= 2 * devices

  placement = v_shape

  let m        = microbatches
  /// Devices between this one and the bottom of the V.
  let below(d) = devices - 1 - d

  /// A forward of one chunk and a backward of the other in one slot.
  let downUp(k, j) = fused(F[k, chunk = 0], B[j, chunk = 1], overlap = overlap)
  let upDown(k, j) = fused(F[k, chunk = 1], B[j, chunk = 0], overlap = overlap)
  /// At the bottom of the V, the first two do not share a slot.
  let pair(k, j)   = if(k > devices, downUp(k, j), [F[k, chunk = 0], B[j, chunk = 1]])
  /// Turns of the steady phase.
  let turns(d)     = m - 2 * devices + d + 1

  /// The last backwards are split from this one on, so that weight gradients fill the end.
  let split(d)       = div(d + 1, 2)
  let splitsUp(d, k) = k + mod(d, 2) > split(d)
  let late(d, k)     = m - d - 1 + k
  let last(k)        = m - devices + k
  let lateBack(d, k) = if(splitsUp(d, k), I[late(d, k), chunk = 1], B[late(d, k), chunk = 1])
  let lastBack(d, k) = if(k >= split(d), I[last(k), chunk = 0], B[last(k), chunk = 0])
  /// Their weight gradients, in the order of the input gradients.
  let lateLeft(d, k) = if(splitsUp(d, k), W[late(d, k), chunk = 1], [])
  let splitLeft(d)   = each(k in split(d)..d, lateLeft(d, k), W[last(k), chunk = 0])
  let left(d)        = splitLeft(d), W[m-below(d)..<m, chunk = 0]

  /// Forwards go down for the devices below, then down and up in turn.
  let step1(d)     = F[0..<2*below(d), chunk = 0]
  let step2(d)     = each(k in 0..d, F[2 * below(d) + k, chunk = 0], F[k, chunk = 1])
  /// The first backwards come down from the end of the V.
  let step3(d)     = each(k in 0..<below(d), I[k, chunk = 1], W[k, chunk = 1], F[d + 1 + k, chunk = 1])
  /// The steady phase: each slot has a forward and a backward.
  let enters(d, k) = pair(2 * devices - d - 1 + k, below(d) + k)
  let step4(d)     = each(k in 0..<turns(d), enters(d, k), upDown(devices + k, k))
  /// No forwards of the first chunk are left.
  let leaves(d, k) = upDown(devices + turns(d) + k, turns(d) + k)
  let step5(d)     = each(k in 0..<below(d), B[below(d) + turns(d) + k, chunk = 1], leaves(d, k))
  /// No forwards are left.
  let step6(d)     = each(k in 0..d, lateBack(d, k), lastBack(d, k))
  /// Weight gradients fill the waiting times.
  let step7(d)     = zip(take(below(d), left(d)), I[m-below(d)..<m, chunk = 0])
  let step8(d)     = drop(below(d), left(d))

  row(d) = step1(d), step2(d), step3(d), step4(d), step5(d), step6(d), step7(d), step8(d)
}
`,
  ],
  [
    'eager_1f1b',
    `/// 1F1B with about twice the warm-up, so that transfers overlap with compute. A device holds up to twice as many microbatches.
/// Sources: Fan et al., "DAPPLE" (2021), arXiv:2007.01045 (policy B); Zhuang et al., "On Optimizing the Communication of Model
/// Parallelism" (2023), arXiv:2211.05322 (overlap-friendly schedule).
schedule eager_1f1b {
  /// About twice the warm-up of 1F1B, so that transfers overlap with compute.
  let warm(d) = min(microbatches, 2 * (devices - d) - 1)

  row(d) = F[0..<warm(d)], zip(B[0..<microbatches], F[warm(d)..<microbatches])
}
`,
  ],
  [
    'gpipe',
    `/// All forwards, then all backwards. A device holds the activations of every microbatch.
/// Source: Huang et al., "GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism" (2019), section 2.3,
/// arXiv:1811.06965. Backwards run in ascending order, as in PyTorch.
schedule gpipe {
  row(d) = F[0..<microbatches], B[0..<microbatches]
}
`,
  ],
  [
    'hanayo',
    `/// Stages run in waves over the devices and back, without a second copy of the weights.
/// Source: Liu et al., "Hanayo: Harnessing Wave-like Pipeline Parallelism for Enhanced Large Model Training Efficiency" (2023),
/// arXiv:2308.15762. Its order is for as many microbatches as devices.
schedule hanayo {
  /// Passes over all devices and back. A device holds two stages for each.
  param waves     = 2 in 1..64
  /// Most microbatches in flight. Fewer need less memory and idle longer.
  param in_flight = microbatches in 1..max(1024, microbatches)

  placement    = wave(waves)
  /// A ready backward first, otherwise the forward of the lowest microbatch, the deepest stage first.
  order        = greedy(prefer = [B, F])
  ties         = oldest
  in_flight(s) = if(s == 0, in_flight, microbatches)
}
`,
  ],
  [
    'interleaved_1f1b',
    `/// 1F1B with several chunks on each device. A device takes a group of microbatches through one chunk, then through the next.
/// Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (2021), section
/// 2.2, arXiv:2104.04473.
schedule interleaved_1f1b {
  /// Stages of each device.
  param chunks = 2 in 1..64
  /// Microbatches of a group. Fewer microbatches than devices are one group.
  param group  = min(devices, microbatches) in 1..microbatches

  let groups = ceil(microbatches / group)
  /// Microbatches of the last group.
  let last   = microbatches - (groups - 1) * group
  /// A group that is shorter than the pipeline would wait for itself.
  require last >= min(devices, microbatches)

  placement   = loop(chunks)
  let end(g)  = min((g + 1) * group, microbatches)
  let ahead   = each(g in 0..<groups, each(c in 0..<chunks, F[g*group..<end(g), chunk = c]))
  let back    = each(g in 0..<groups, each(c in chunks-1..0 step -1, B[g*group..<end(g), chunk = c]))
  /// Forwards of a chunk before the first backward.
  let warm(d) = 2 * (devices - 1 - d) + (chunks - 1) * group

  row(d) = take(warm(d), ahead), zip(drop(warm(d), ahead), back)
}
`,
  ],
  [
    'interleaved_zb',
    `/// Interleaved 1F1B with a split backward. Half the warm-up, and weight gradients fill the idle time. PyTorch's
/// ScheduleInterleavedZeroBubble has the same order.
/// Sources: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (2021), section
/// 2.2, arXiv:2104.04473 (groups); Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 2.1, arXiv:2401.10241 (delay
/// of W).
schedule interleaved_zb {
  /// Stages of each device.
  param chunks = 2 in 1..64

  /// As many rounds as leave each at least as many microbatches as there are devices.
  let rounds = max(1, div(microbatches, devices))
  require mod(microbatches, rounds) == 0
  /// Microbatches of a round.
  let group = microbatches / rounds

  placement   = loop(chunks)
  /// The chunk of number c of a backward: the last one first.
  let back(c) = chunks - 1 - c
  let end(g)  = (g + 1) * group
  let ahead   = each(g in 0..<rounds, each(c in 0..<chunks, F[g*group..<end(g), chunk = c]))
  let inputs  = each(g in 0..<rounds, each(c in 0..<chunks, I[g*group..<end(g), chunk = back(c)]))
  let weights = each(g in 0..<rounds, each(c in 0..<chunks, W[g*group..<end(g), chunk = back(c)]))
  /// Forwards of a chunk before the first input gradient.
  let warm(d) = devices - 1 - d + (chunks - 1) * group
  let rest(d) = drop(warm(d), ahead)

  /// One forward, one input gradient. A weight gradient runs d input gradients after its own.
  let early(d)  = zip(take(d, rest(d)), take(d, inputs))
  let steady(d) = zip(drop(d, rest(d)), drop(d, inputs), weights)
  row(d)        = take(warm(d), ahead), early(d), steady(d)
}
`,
  ],
  [
    'pipedream',
    `/// Asynchronous 1F1B: iterations follow each other without a flush, and a backward uses the weights of its forward.
/// Source: Narayanan et al., "PipeDream: Generalized Pipeline Parallelism for DNN Training" (2019), sections 3.2 and 3.3,
/// arXiv:1806.03377.
schedule pipedream {
  /// Microbatches in flight at the first stage.
  param in_flight = stages in stages..max(1024, stages)

  weights       = stash
  /// Microbatches of all iterations: they follow each other without a flush.
  let total     = microbatches * iterations
  /// Forwards before the first backward.
  let scaled(d) = 1 + ceil((in_flight - 1) * (stages - 1 - d) / max(1, stages - 1))
  let warm(d)   = min(total, if(d == 0, in_flight, scaled(d)))

  /// A stage updates its weights after the last backward of each iteration.
  row(d) = F[0..<warm(d)], zip(B[0..<total], F[warm(d)..<total])
}
`,
  ],
  [
    'pipedream_2bw',
    `/// Asynchronous 1F1B with two versions of the weights. They are enough if an update has at least as many microbatches as there
/// are stages.
/// Source: Narayanan et al., "Memory-Efficient Pipeline-Parallel DNN Training" (2021), section 3.1, arXiv:2006.09503.
schedule pipedream_2bw {
  require microbatches >= stages

  weights     = double_buffer
  /// Microbatches of all iterations: they follow each other without a flush.
  let total   = microbatches * iterations
  /// Forwards before the first backward.
  let warm(d) = min(total, stages - d)

  /// A stage updates its weights after the last backward of each iteration.
  row(d) = F[0..<warm(d)], zip(B[0..<total], F[warm(d)..<total])
}
`,
  ],
  [
    'pipelined_backprop',
    `/// A stage runs a forward and a backward in each step, with the newest weights.
/// Sources: Pétrowski, Dreyfus and Girault (1993); Kosson et al., "Pipelined Backpropagation at Scale" (2021),
/// arXiv:2003.11666.
schedule pipelined_backprop {
  weights     = latest
  /// Microbatches of all iterations: they follow each other without a flush.
  let total   = microbatches * iterations
  /// Forwards before the first backward.
  let warm(d) = min(total, 2 * (stages - 1 - d) + 1)

  /// A stage updates its weights after the last backward of each iteration.
  row(d) = F[0..<warm(d)], zip(B[0..<total], F[warm(d)..<total])
}
`,
  ],
  [
    'pipemare',
    `/// A stage runs a forward and a backward in each step, with the newest weights. The built-in also counts the copy that its
/// correction of the weights needs, which a text cannot say.
/// Source: Yang et al., "PipeMare: Asynchronous Pipeline Parallel DNN Training" (2021), arXiv:1910.05124.
schedule pipemare {
  weights     = latest
  /// Microbatches of all iterations: they follow each other without a flush.
  let total   = microbatches * iterations
  /// Forwards before the first backward.
  let warm(d) = min(total, 2 * (stages - 1 - d) + 1)

  /// A stage updates its weights after the last backward of each iteration.
  row(d) = F[0..<warm(d)], zip(B[0..<total], F[warm(d)..<total])
}
`,
  ],
  [
    'seq1f1b',
    `/// 1F1B over segments of sequences: forwards run from the first segment to the last, backwards from the last to the first.
/// Source: Sun et al., "Seq1F1B: Efficient Sequence-Level Pipeline Parallelism for Large Language Model Training" (2024),
/// arXiv:2406.03488.
schedule seq1f1b {
  /// Segments of each sequence.
  param segments = 4 in 1..256

  parts       = segments
  let ahead   = each(j in 0..<microbatches, F[j, part = 0..<segments])
  let back    = each(j in 0..<microbatches, B[j, part = segments-1..0 step -1])
  /// All segments of the first sequence, and one for each device behind.
  let warm(d) = devices - d + segments - 1

  row(d) = take(warm(d), ahead), zip(back, drop(warm(d), ahead))
}
`,
  ],
  [
    'torchgpipe',
    `/// GPipe with backwards in reverse. A stage recomputes a microbatch while it waits for its gradient.
/// Source: Kim et al., "torchgpipe: On-the-fly Pipeline Parallelism for Training Giant Models" (2020), arXiv:2004.09910.
schedule torchgpipe {
  /// Microbatches before this one are recomputed. By default the last one is not, because its backward comes first.
  param checkpoint_stop = microbatches - 1 in 0..microbatches

  row(d) = F[0..<microbatches],
      each(j in microbatches-1..0 step -1, if(j < checkpoint_stop, R[j], []), B[j])
}
`,
  ],
  [
    'v_half',
    `/// V-Half: about half the activation memory of 1F1B. The slots of one microbatch repeat every six slots. Then operations move
/// forward to where a device would idle.
/// Source: Qi et al., "Pipeline Parallelism with Controllable Memory" (2024), arXiv:2405.15362.
schedule v_half {
  placement = v_shape
  period    = 6
  fill      = true

  /// Extra slots that keep the operations of a device apart.
  let extra   = if(mod(devices, 2) == 0, 3, 0)
  /// Device of a stage of the second chunk.
  let back(s) = stages - 1 - s

  slot(F, s) = if(s < devices, 2 * s, 3 * devices - back(s) - 2)
  slot(I, s) = if(s < devices, 6 * devices + extra - s - 2, 3 * devices + extra + 2 * back(s) - 1)
  slot(W)    = free
}
`,
  ],
  [
    'v_min',
    `/// V-Min: about a third of the activation memory of 1F1B. The slots of one microbatch repeat every six slots. Then operations
/// move forward to where a device would idle.
/// Source: Qi et al., "Pipeline Parallelism with Controllable Memory" (2024), arXiv:2405.15362.
schedule v_min {
  placement = v_shape
  period    = 6
  fill      = true

  /// Extra slots that keep the operations of a device apart.
  let extra = if(mod(devices, 3) == 0, 2, 0)

  slot(F, s) = s
  slot(I, s) = 2 * stages + extra - 1 - s
  slot(W)    = free
}
`,
  ],
  [
    'xpipe',
    `/// Asynchronous 1F1B over the microbatches of successive iterations, with predicted weights.
/// Source: Guan et al., "XPipe: Efficient Pipeline Model Parallelism for Multi-GPU DNN Training" (2019), arXiv:1911.04610.
schedule xpipe {
  weights     = predict
  /// Microbatches of all iterations: they follow each other without a flush.
  let total   = microbatches * iterations
  /// Forwards before the first backward.
  let warm(d) = min(total, stages - d)

  /// A stage updates its weights after the last backward of each iteration.
  row(d) = F[0..<warm(d)], zip(B[0..<total], F[warm(d)..<total])
}
`,
  ],
  [
    'zb_h1',
    `/// ZB-H1: 1F1B with a split backward. Weight gradients fill two thirds of the idle time. Every device needs the memory of
/// 1F1B's first device.
/// Source: Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 2.1, arXiv:2401.10241.
schedule zb_h1 {
  /// Forwards before the first input gradient, as under 1F1B.
  let warm(d) = min(microbatches, devices - d)
  /// The weight gradient of a microbatch runs this many input gradients after its own.
  let lag(d)  = d

  let inputs  = I[0..<microbatches]
  let rest(d) = F[warm(d)..<microbatches]

  /// One input gradient, one forward. From the lag on, a weight gradient runs between them. Those that are left follow.
  let early(d)  = zip(take(lag(d), inputs), take(lag(d), rest(d)))
  let steady(d) = zip(drop(lag(d), inputs), W[0..<microbatches], drop(lag(d), rest(d)))
  row(d)        = F[0..<warm(d)], early(d), steady(d)
}
`,
  ],
  [
    'zb_h2',
    `/// ZB-H2: ZB-H1 with about twice the warm-up. A device does not idle between its first and its last operation.
/// Source: Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 2.2, arXiv:2401.10241.
schedule zb_h2 {
  /// Forwards before the first input gradient, about twice as many as under 1F1B.
  let warm(d) = min(microbatches, 2 * (devices - d) - 1)
  /// The weight gradient of a microbatch runs this many input gradients after its own.
  let lag(d)  = 2 * d

  let inputs  = I[0..<microbatches]
  let rest(d) = F[warm(d)..<microbatches]

  /// One input gradient, one forward. From the lag on, a weight gradient runs between them. Those that are left follow.
  let early(d)  = zip(take(lag(d), inputs), take(lag(d), rest(d)))
  let steady(d) = zip(drop(lag(d), inputs), W[0..<microbatches], drop(lag(d), rest(d)))
  row(d)        = F[0..<warm(d)], early(d), steady(d)
}
`,
  ],
  [
    'zb_v',
    `/// ZB-V: two chunks on each device in a V, with a split backward. The order is for at least 2p - 1 microbatches. With fewer, it
/// leaves out those that do not exist, as PyTorch does.
/// Source: Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 6 and figure 8, arXiv:2401.10241.
schedule zb_v {
  placement = v_shape

  let all           = max(2 * devices - 1, microbatches)
  /// Operations of a chunk, if the microbatch exists.
  let forward(c, j) = if(j < microbatches, F[j, chunk = c], [])
  let input(c, j)   = if(j < microbatches, I[j, chunk = c], [])
  let weight(c, j)  = if(j < microbatches, W[j, chunk = c], [])

  /// Devices from this one to the bottom of the V, counted with this one.
  let below(d)    = devices - d
  /// Forwards of the first chunk before the first one of the second chunk.
  let first(d)    = 2 * below(d) - 1
  /// Turns of the steady phase, for each chunk.
  let turns       = all - devices
  let ahead(d, k) = forward(0, first(d) + d + k), input(0, k), weight(0, k)
  let back(d, k)  = forward(1, devices + k), input(1, below(d) + k), weight(1, below(d) + k)

  let warm(d)   = each(k in 0..<first(d), forward(0, k))
  let both(d)   = each(k in 0..<d, forward(1, k), forward(0, first(d) + k))
  let turn(d)   = each(k in 0..<below(d), forward(1, d + k), input(1, k), weight(1, k))
  let steady(d) = each(k in 0..<turns, ahead(d, k), back(d, k))
  let cool(d)   = each(k in 0..<d, input(0, turns + k), input(1, all - d + k))
  let drain(d)  = each(k in 0..<below(d), input(0, turns + d + k), weight(0, turns + k))
  let left(d)   = each(c in 1..0 step -1, each(k in all-d..<all, weight(c, k)))

  row(d) = warm(d), both(d), turn(d), steady(d), cool(d), drain(d), left(d)
}
`,
  ],
]);
