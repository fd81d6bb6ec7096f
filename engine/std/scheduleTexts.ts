/** Made by scripts/scheduleTexts.ts from engine/std/schedules/: change the files there, then run it. */
export const scheduleTexts: ReadonlyMap<string, string> = new Map([
  [
    'zb_h1',
    `/// ZB-H1: 1F1B with a split backward. Weight gradients fill two thirds of the idle time; every device needs the memory of 1F1B's
/// first device.
/// Source: Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 2.1, arXiv:2401.10241.
schedule zb_h1 {
  /// Forwards before the first input gradient.
  let warm(d) = min(microbatches, devices - d)

  /// A weight gradient runs d input gradients after its own.
  row(d) = F[0..<warm(d)], each(j in 0..<microbatches, I[j], if(j < d, [], W[j - d]),
      if(j + warm(d) < microbatches, F[j + warm(d)], [])),
      W[max(0, microbatches - d)..<microbatches]
}
`,
  ],
]);
