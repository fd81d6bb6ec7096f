/** The stages that the recorded runs sleep: F = 6 + s mod 3 ms, I = 1.25 F, W = 0.75 F; stage 0 needs no input gradient. */
export function sleepingPlan(stages: number, devices: number, schedule: string, more = ''): string {
  const layers = Array.from({ length: stages }, (_, stage) => {
    const forward = 6 + (stage % 3);
    const input = stage === 0 ? 0 : 1.25 * forward;
    return `layer s${stage} { forward = ${forward}ms  backward_input = ${input}ms  backward_weight = ${0.75 * forward}ms }`;
  });
  return `model m { ${layers.join('  ')} }
device d { memory = 16GiB }
cluster c { gpu[${devices}] = d  link = 1GB/s + 300us }
${more}
pipeline t { model = m  devices = c  microbatches = 8  stages = split(${layers.map(() => 1).join(', ')})  schedule = ${schedule} }`;
}
