/** Texts that are small to write and ask for much work: what an editor and the command line must survive. */

const device = 'device d { memory = 1TiB }\n';
const layers = (count: number): string => `model m { layer block[${count}] { forward = 4ms  backward = 8ms } }\n`;
const cluster = (count: number, link = '100GB/s'): string =>
  `${device}cluster c { gpu[${count}] = d  link = ${link} }\n`;
const pipeline = (entries: string): string => `pipeline p { model = m  devices = c  ${entries} }\n`;

const rows = 'row(d) = F[0..<microbatches], B[0..<microbatches]';
const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

/** Each `let` names the one before twice. */
const doubling = (count: number, first: string): string =>
  `schedule mine {\n  let x0 = ${first}\n${times(count, (index) => `  let x${index + 1} = x${index}, x${index}\n`)}`;
const plain = `${layers(8)}${cluster(4)}`;
const withMine = `${plain}${pipeline('microbatches = 8  stages = balance(4)  schedule = mine')}`;

const slow = (ranks: number): string =>
  `model m { layer only { forward = 1ms  backward = 1ms  weights = 100MB } }\n${device}cluster c { gpu[${ranks}] = d  switch s { ports = gpu[0..${ranks - 1}]  link = 1GB/s + 5us } }\n`;

/** Links that all differ, so no route stands for others. */
const unlike = (ranks: number): string =>
  `model m { layer only { forward = 1ms  backward = 1ms  weights = 100MB } }\n${device}cluster c { gpu[${ranks}] = d  switch s {}\n${times(ranks, (index) => `  link gpu[${index}] -- s = ${1 + (index % 7)}GB/s + 5us\n`)}}\n`;

/** By name. */
export const heavyTexts: Readonly<Record<string, string>> = {
  'doubling operations': `${doubling(60, 'F[0]')}  row(d) = x60\n}\nexpect mine { valid }\n`,
  'doubling operations in a pipeline': `${doubling(60, 'F[0]')}  row(d) = x60\n}\n${withMine}`,
  'doubling nothing': `${doubling(60, 'F[0..<0]')}  row(d) = x60, F[0..<microbatches], B[0..<microbatches]\n}\nexpect mine { valid }\n`,
  'doubling nothing in a pipeline': `${doubling(60, 'F[0..<0]')}  row(d) = x60, F[0..<microbatches], B[0..<microbatches]\n}\n${withMine}`,
  'doubling a list of nothing': `${doubling(60, '[]')}  row(d) = x60, F[0..<microbatches], B[0..<microbatches]\n}\n${withMine}`,
  'forty doubling lets': `${doubling(40, 'F[0]')}  row(d) = take(1, x40), B[0]\n}\nexpect mine { valid }\n`,
  'doubling numbers': `schedule mine {\n  let x0(j) = j\n${times(60, (index) => `  let x${index + 1}(j) = x${index}(j) + x${index}(j)\n`)}  row(d) = F[0..<x60(1)], B[0..<x60(1)]\n}\n${withMine}`,
  'doubling conditions': `schedule mine {\n  let x0(j) = j > 0\n${times(60, (index) => `  let x${index + 1}(j) = not x${index}(j) or not x${index}(j)\n`)}  require x60(1)\n  ${rows}\n}\n${withMine}`,
  'doubling unknown numbers': `schedule mine {\n  let x0 = microbatches\n${times(60, (index) => `  let x${index + 1} = x${index} + x${index}\n`)}  let size = x60 - x60\n  parts = if(size > 0, 1, 1)\n  ${rows}\n}\n${withMine}`,
  'doubling comparisons': `schedule mine {\n  let x0 = devices > 0\n${times(60, (index) => `  let x${index + 1} = x${index} and x${index}\n`)}  require x60\n  ${rows}\n}\n${withMine}`,
  'doubling parameters': `schedule mine {\n  param x0 = stages\n${times(60, (index) => `  param x${index + 1} = x${index} + x${index}\n`)}  placement = loop(if(x60 > 0, 1, 1))\n  ${rows}\n}\n${withMine}`,
  'doubling operations of a parameter': `schedule mine {\n  let x0(j) = F[j]\n${times(60, (index) => `  let x${index + 1}(j) = x${index}(j), x${index}(j)\n`)}  row(d) = x60(0)\n}\n${withMine}`,
  'a long text in a loop': `schedule mine { row(d) = each(j in 0..<1000000, F[j${' + 0'.repeat(100_000)}]) }\n${plain}${pipeline('microbatches = 1000000  stages = balance(4)  schedule = mine')}`,
  'a long text of each device': `schedule mine { on(s, j) = mod(s${' + 0'.repeat(100_000)}, devices)  ${rows} }\n${plain}${pipeline('microbatches = 100000  stages = balance(4)  schedule = mine')}`,
  'wrong calls in calls': `schedule mine { row(d) = ${'take(F[0], '.repeat(60)}F[0]${')'.repeat(60)} }\n`,
  'doubling numbers of the file': `let x0 = 1\n${times(200, (index) => `let x${index + 1} = x${index} + x${index}\n`)}${plain}${pipeline('microbatches = x200  stages = balance(4)  schedule = 1f1b')}`,
  'doubling repeats': `schedule mine { row(d) = ${times(60, () => 'repeat(1000000, ')}F[0]${')'.repeat(60)} }\nexpect mine { valid }\n`,
  'nested loops': `schedule mine { row(d) = ${times(12, (index) => `each(a${index} in 0..<1000000, `)}F[a0]${')'.repeat(12)} }\nexpect mine { valid }\n`,
  'loops over nothing': `schedule mine { row(d) = ${times(12, (index) => `each(a${index} in 0..<1000000, `)}F[a0..<0]${')'.repeat(12)} }\nexpect mine { valid }\n`,
  'a million chunks': `schedule mine { placement = loop(1000000)  ${rows} }\nexpect mine { valid }\n`,
  'a million chunks by rule': `schedule mine { placement = loop(1000000)  order = greedy(prefer = [B, F]) }\nexpect mine { valid }\n`,
  'a million devices with one microbatch': `schedule mine { ${rows} }\nexpect mine { over(devices = 1000000, microbatches = 1)  valid }\n`,
  'a hundred thousand chunks': `schedule mine { placement = loop(100000)  ${rows} }\nexpect mine { valid }\n`,
  'a hundred thousand chunks by rule': `schedule mine { placement = loop(100000)  order = greedy(prefer = [B, F]) }\nexpect mine { valid }\n`,
  'a million stages': `schedule mine { stages = 1000000  on(s, j) = mod(s, devices)  ${rows} }\nexpect mine { valid }\n`,
  'a million stages by rule': `schedule mine { stages = 1000000  on(s, j) = mod(s, devices)  order = greedy(prefer = [B, F]) }\nexpect mine { valid }\n`,
  'a million stages of a pipeline': `${plain}${pipeline('microbatches = 8  stages = balance(1000000)  schedule = 1f1b')}`,
  'a million devices': `schedule mine { ${rows} }\nexpect mine { over(devices = 1000000, microbatches = 1..24)  valid }\n`,
  'a million devices by rule': `schedule mine { order = greedy(prefer = [B, F]) }\nexpect mine { over(devices = 1000000, microbatches = 1..24)  valid }\n`,
  'a million devices, compared': `schedule mine { ${rows} }\nexpect mine { over(devices = 1000000, microbatches = 1..24)  order == gpipe }\n`,
  'a million microbatches, each tested': `schedule mine { ${rows} }\nexpect mine { over(devices = 2, microbatches = 1000000..1000024)  valid }\n`,
  'a comparison with zb_auto': `schedule mine { backward = split  row(d) = F[0..<microbatches], I[0..<microbatches], W[0..<microbatches] }\nexpect mine { over(devices = 1..128, microbatches = 1..128)  order == zb_auto }\n`,
  'sixteen thousand shapes': `schedule mine { ${rows} }\nexpect mine { over(devices = 1..128, microbatches = 1..128)  valid }\n`,
  'two thousand stages of twenty thousand layers': `${layers(20_000)}${cluster(2_000)}${pipeline('microbatches = 1  stages = balance(2000)  schedule = 1f1b')}`,
  'four thousand lengths': `model m { sequence = 8192  layer block[2000] = transformer(hidden = 1024, heads = 16, ffn = 4096) }\n${device.replace('1TiB', '1TiB  compute = 100TFLOPS  bandwidth = 1TB/s')}cluster c { gpu[4] = d  link = 100GB/s }\n${pipeline('microbatches = 4000  stages = balance(4)  schedule = 1f1b  tokens = lognormal(mean = 1500, sigma = 0.8, seed = 1)')}`,
  'the best bucket of twenty thousand layers': `model m { layer block[20000] { forward = 1ms  backward = 2ms  weights = 1MB } }\n${cluster(4, '10GB/s')}${pipeline('microbatches = 1  stages = balance(1)  data = 4  sync = overlap(bucket = best)  schedule = 1f1b')}`,
  'the best bucket of twenty thousand layers without a barrier': `model m { layer block[20000] { forward = 1ms  backward = 2ms  weights = 1MB } }\n${cluster(4, '10GB/s')}${pipeline('microbatches = 1  stages = balance(1)  data = 4  sync = overlap(bucket = best, barrier = false)  schedule = 1f1b')}`,
  'the best pieces of twenty thousand layers': `model m { layer block[20000] { forward = 1ms  backward = 2ms  weights = 1MB } }\n${cluster(4, '10GB/s')}${pipeline('microbatches = 1  stages = balance(1)  data = 4  sync = bytescheduler(partition = best, credit = best)  schedule = 1f1b')}`,
  'four thousand lengths of two thousand different layers': `model m { sequence = 8192\n${times(2_000, (index) => `layer l${index} = transformer(hidden = 1024, heads = 16, ffn = ${4096 + index})\n`)} }\n${device.replace('1TiB', '1TiB  compute = 100TFLOPS  bandwidth = 1TB/s')}cluster c { gpu[4] = d  link = 100GB/s }\n${pipeline('microbatches = 4000  stages = balance(4)  schedule = 1f1b  tokens = lognormal(mean = 1500, sigma = 0.8, seed = 1)')}`,
  'a ring of five hundred ranks': `${slow(500)}${pipeline('microbatches = 1  stages = balance(1)  data = 500  sync = end  collective = ring  schedule = 1f1b')}`,
  'a ring of two thousand ranks': `${slow(2_000)}${pipeline('microbatches = 1  stages = balance(1)  data = 2000  sync = end  collective = ring  schedule = 1f1b')}`,
  'plink of four thousand ranks': `${slow(4_096)}${pipeline('microbatches = 1  stages = balance(1)  data = 4096  sync = end  collective = plink  schedule = 1f1b')}`,
  'trees of four thousand ranks': `${slow(4_096)}${pipeline('microbatches = 1  stages = balance(1)  data = 4096  sync = end  collective = trees  schedule = 1f1b')}`,
  'the best collective of two thousand ranks': `${slow(2_000)}${pipeline('microbatches = 1  stages = balance(1)  data = 2000  sync = end  collective = best  schedule = 1f1b')}`,
  'a ring of two thousand different links': `${unlike(2_000)}${pipeline('microbatches = 1  stages = balance(1)  data = 2000  sync = overlap  collective = ring  schedule = 1f1b')}`,
  'plink of two thousand different links': `${unlike(2_000)}${pipeline('microbatches = 1  stages = balance(1)  data = 2000  sync = end  collective = plink  schedule = 1f1b')}`,
};
