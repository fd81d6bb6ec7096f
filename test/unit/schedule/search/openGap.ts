/**
 * A pipeline whose search ends with its effort, a thousandth above its bound: stages differ, and each has room for as many microbatches
 * as there are devices.
 */
export const openGap = `device gpu { memory = 64GiB }
cluster box { gpu[8] = gpu  link = 100GB/s + 10ms }
model uneven {
${[113, 104, 102, 88, 99, 119, 111, 92]
  .map(
    (ms, at) =>
      `  layer l${at} { forward = ${ms}ms  backward_input = ${ms}ms  backward_weight = ${ms}ms  activation = 1GiB }`,
  )
  .join('\n')}
}
pipeline p { model = uneven  devices = box  microbatches = 10  stages = balance(8)  schedule = search(limit = 8) }
`;
