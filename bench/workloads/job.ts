/** A job of one worker for each speed, `devices` stages each. */
export function jobFile({
  devices,
  waves,
  speeds,
}: {
  readonly devices: number;
  readonly waves: number;
  readonly speeds: readonly number[];
}): string {
  const workers = speeds.map(
    (speed, index) => `device d${index} { memory = 80GiB  speed = ${speed} }
cluster c${index} { gpu[${devices}] = d${index}  link = 50GB/s + 5us }
pipeline p${index} {
  model        = m
  devices      = c${index}
  microbatches = 1
  stages       = balance(${devices})
  schedule     = pipedream
}
`,
  );
  return `model m {
  layer block[${devices}] { forward = 10ms  backward = 20ms  weights = 1MiB  activation = 1MiB  output = 1MiB }
}
${workers.join('')}job all {
  workers = [${speeds.map((_, index) => `p${index}`).join(', ')}]
  sync    = wsp(distance = 1)
  servers = 2
  link    = 50GB/s + 5us
  waves   = ${waves}
}
`;
}
