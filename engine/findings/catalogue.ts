/**
 * All findings. Nothing reports a diagnostic outside this table; each entry has a page `docs/diagnostics/CODE.md`
 * and a fixture that raises it. A message says what is wrong, by how much, why, and what would help.
 */
import { type EfficiencyFacts, efficiencyText } from './efficiencyText.ts';
import { type HeadroomFacts, headroomText } from './headroomText.ts';
import { bubbleWords } from './bubbleWords.ts';
import { entry } from './entry.ts';
import { defaultsWords, unsupportedWords } from './engineWords.ts';
import { alike, versionsKept, type StageVersions } from './stageVersions.ts';
import { gain, type Waited, waits } from './waitedWords.ts';
import { bytes, count, list, share, shareAtMost, show, time, timeAtLeast } from '../basics/quantities.ts';

export type { Severity } from './entry.ts';

const isCall = (block: string): boolean => block.startsWith('call to ');
/** What a block has by name: a call has arguments. */
const keyOf = (block: string): string => (isCall(block) ? 'argument' : 'key');
const adviceOf = ({ advice }: { readonly advice?: string }): string => (advice === undefined ? '' : ` ${advice}`);
/** A spelling that exists, and the file that it has to be imported from. */
/** The name that was probably meant, or the file that has this one. */
const nameMeant = (name: string, nearest: string | undefined, from?: string) =>
  nearest === name && from !== undefined ? ` It is in "${from}".` : didYouMean(nearest, from);
const didYouMean = (nearest: string | undefined, from?: string) =>
  nearest === undefined ? '' : ` Did you mean "${nearest}"${from === undefined ? '' : ` from "${from}"`}?`;

/** What a reserved name is. */
const reservedWords = { number: 'a number of the pipeline', operation: 'an operation', function: 'a function' };

/** What a plan would miss if its optimizer kept its state: bytes that it would need, and where. */
type MissedMemory =
  | { readonly need: number; readonly device: string; readonly capacity: number }
  | { readonly need: number; readonly expected: string };

const missedWords = (missed: MissedMemory): string =>
  'device' in missed
    ? `${missed.device} would need ${bytes(missed.need)} of its ${bytes(missed.capacity)}`
    : `the peak would be ${bytes(missed.need)}, so \`${missed.expected}\` would not hold`;

interface TokensOfSample {
  readonly tokens: number;
  readonly width: number;
}

/** `4096 × 1280 = 5,242,880 elements`. */
const elements = ({ tokens, width }: TokensOfSample): string =>
  `${tokens} tokens × ${width} = ${(tokens * width).toLocaleString('en-US')} elements`;

interface MissingKey {
  readonly key: string;
  readonly example: string;
}

export const catalogue = {
  'syntax/unexpected': entry('error', 'Text that the grammar does not allow here', (p: { text: string }) => p.text),
  'syntax/unclosed': entry('error', 'A bracket or string that is not closed', (p: { text: string }) => p.text),
  'syntax/unit': entry('error', 'A quantity with an unknown or malformed unit', (p: { text: string }) => p.text),

  'name/unknown': entry(
    'error',
    'A name that nothing declares',
    (p: {
      kind: string;
      name: string;
      nearest?: string;
      from?: string;
      where?: string;
      words?: readonly string[];
      write?: string;
      /** The key of the same block that takes the name, and what the name is there. */
      elsewhere?: { readonly key: string; readonly noun: string };
      /** What to write, if that is known. */
      advice?: string;
    }) =>
      `Unknown ${p.kind} "${p.name}"${p.where ? ` in ${p.where}` : ''}.${p.elsewhere === undefined ? '' : ` ${p.name} is a ${p.elsewhere.noun}: write "${p.elsewhere.key} = ${p.name}".`}${p.write === undefined ? '' : ` To use it, write "${p.write}".`}${p.advice === undefined ? '' : ` ${p.advice}`}${p.nearest === undefined && p.words !== undefined ? ` ${p.kind === 'layer' ? 'Its layers' : 'Words allowed here'}: ${list(p.words)}.` : nameMeant(p.name, p.nearest, p.from)}`,
  ),
  'name/duplicate': entry('error', 'A name declared twice in one scope', (p: { kind: string; name: string }) =>
    p.kind === 'search'
      ? `The pipeline "${p.name}" has more than one search; the first one is used. Put all keys into one.`
      : `The ${p.kind} "${p.name}" is declared more than once; rename or remove one of the two.`,
  ),
  'name/reserved': entry(
    'error',
    'A name of a schedule that already means something there',
    (p: { kind: string; name: string; is: 'number' | 'operation' | 'function' }) =>
      `In a schedule, "${p.name}" is ${reservedWords[p.is]}. Choose another name for this ${p.kind}.`,
  ),
  'name/unused': entry(
    'hint',
    'A declaration that nothing uses',
    (p: { kind: string; name: string }) => `Nothing uses the ${p.kind} "${p.name}".`,
  ),
  'name/cycle': entry(
    'error',
    'Names or imports that depend on each other in a cycle',
    (p: { circle: readonly string[] }) => `Circular definition: ${p.circle.join(' → ')}. Remove one reference.`,
  ),

  'key/unknown': entry(
    'error',
    'A key that this block does not have',
    // `advice`: what to write, if that is known.
    (p: { key: string; block: string; nearest?: string; advice?: string }) =>
      `${/^[aeiou]/.test(p.block) ? 'An' : 'A'} ${p.block} has no ${keyOf(p.block)} "${p.key}".${p.advice === undefined ? didYouMean(p.nearest) : ` ${p.advice}`}`,
  ),
  'key/missing': entry(
    'error',
    'A key that this block needs',
    // `more`: further keys that it needs. `or`: another example.
    (p: { key: string; block: string; example: string; or?: string; more?: readonly MissingKey[] }) => {
      const keys = [{ key: p.key, example: p.example }, ...(p.more ?? [])];
      const names = list(keys.map(({ key }) => `"${key}"`));
      return `This ${p.block} needs ${isCall(p.block) ? 'the argument ' : ''}${names}, for example ${list(keys.map(({ example }) => `\`${example}\``))}${p.or === undefined ? '' : ` or \`${p.or}\``}.`;
    },
  ),
  'key/duplicate': entry(
    'error',
    'A key written twice in one block',
    // `as`: another name of the key, if it is set once by each.
    (p: { key: string; block: string; as?: string }) =>
      p.as === undefined
        ? `"${p.key}" is set twice in this ${p.block}; the first one is used.`
        : `"${p.as}" is another name for "${p.key}", and this ${p.block} sets both. Remove one of them.`,
  ),
  'key/not-applicable': entry(
    ['warning', 'hint'],
    'A key that has no effect here',
    (p: { key: string; reason: string }) => `"${p.key}" has no effect here: ${p.reason}.`,
  ),

  'type/mismatch': entry(
    'error',
    'A value of the wrong kind',
    (p: { expected: string; found: string }) => `Expected ${p.expected}, found ${p.found}.`,
  ),
  'type/dimension': entry(
    'error',
    'A quantity of the wrong dimension',
    (p: { expected: string; found: string; example?: string }) =>
      `Expected ${p.expected}, found ${p.found}${p.example ? `; write for example \`${p.example}\`` : ''}.`,
  ),
  'value/range': entry(
    ['error', 'warning'],
    'A value outside the possible range',
    // `advised`: the value is used, but it is most often a mistake.
    (p: { what: string; value: string; allowed: string; advised?: true }) =>
      `${p.what} is ${p.value}; it ${p.advised === true ? 'should' : 'must'} be ${p.allowed}.`,
  ),
  'value/backwards': entry(
    'warning',
    'A range that ends before it starts, and is therefore empty',
    (p: { from: number; to: number }) =>
      `This range runs backwards, from ${p.from} to ${p.to}, so it is empty; write "step -1" after it to count down.`,
  ),

  'layer/cycle': entry(
    'error',
    'Layers that depend on each other in a cycle',
    (p: { circle: readonly string[]; attends?: { readonly by: string; readonly to: string } }) =>
      `These layers depend on each other in a cycle: ${p.circle.join(' → ')}. ${
        p.attends === undefined
          ? 'Remove one "after".'
          : `Layer "${p.attends.by}" attends to ${p.attends.to === 'itself' ? 'itself' : `${p.attends.to}, which needs it`}. Let it attend to a layer that does not need it.`
      }`,
  ),
  'layer/unreachable': entry(
    'warning',
    'A layer whose output nothing uses',
    (p: { layer: string }) => `Nothing uses the output of layer "${p.layer}", and it is not the last layer.`,
  ),
  'layer/width': entry(
    'warning',
    'A layer that cannot read what the layer before it gives',
    (p: { layer: string; read: TokensOfSample; before: string; given: TokensOfSample }) =>
      p.read.tokens === p.given.tokens
        ? `Layer "${p.layer}" reads tokens ${p.read.width} wide, and "${p.before}" before it gives tokens ${p.given.width} wide. Make the two equal, put \`linear(inputs = ${p.given.width}, outputs = ${p.read.width})\` between them, or name what it reads in \`after\`.`
        : `Layer "${p.layer}" reads ${elements(p.read)} of a sample, and "${p.before}" before it gives ${elements(p.given)}. Make them equal by \`tokens\`, \`images\` or the width, or name what it reads in \`after\`.`,
  ),
  'layer/no-cost': entry(
    'warning',
    'A layer without time',
    (p: { layer: string }) =>
      `Layer "${p.layer}" takes no time: give it \`forward = …\` and \`backward = …\`, or a shape such as \`transformer(…)\`.`,
  ),

  'stage/unassigned-layer': entry(
    'error',
    'A layer that no stage holds',
    (p: { layers: readonly string[] }) =>
      `No stage holds ${list(p.layers)}; add ${p.layers.length === 1 ? 'it' : 'them'} to a stage.`,
  ),
  'stage/assigned-twice': entry(
    'error',
    'A layer that two stages hold',
    (p: { layer: string; stages: readonly string[] }) =>
      `Layer "${p.layer}" belongs to ${list(p.stages)}; a layer belongs to one stage.`,
  ),
  'stage/dependency-order': entry(
    'error',
    'A stage that needs a later one',
    (p: { layer: string; stage: string; needs: string; later: string }) =>
      `Layer "${p.layer}" of stage "${p.stage}" needs "${p.needs}", which is in the later stage "${p.later}".`,
  ),
  'stage/empty': entry(
    'error',
    'A stage without layers',
    (p: { stage: string }) => `Stage "${p.stage}" holds no layer.`,
  ),
  'stage/device-count': entry('error', 'Stages and devices that do not match', (p: { message: string }) => p.message),
  'stage/imbalance': entry(
    'warning',
    'A stage much slower than the mean',
    // `above`: where the best cut is the best found, how far it is above the least possible at most.
    (p: { stage: string; slowest: number; mean: number; over: number; best: number; gain: number; above?: number }) =>
      `Stage "${p.stage}" takes ${time(p.slowest)} per microbatch, ${share(p.over)} over the mean of ${time(p.mean)}; ` +
      (p.gain <= 0
        ? 'no cut of these layers is better.'
        : p.above === undefined
          ? `the best cut has ${time(p.best)} (${share(p.gain)} less).`
          : `the best cut found has ${time(p.best)} (${share(p.gain)} less), at most ${shareAtMost(p.above)} above the least possible.`),
  ),

  'device/unknown-route': entry(
    'error',
    'Two devices that must communicate but have no link',
    (p: { from: string; to: string }) =>
      `No link leads from ${p.from} to ${p.to}; add \`link = …\` to the cluster or \`link ${p.from} -- ${p.to} = …\`.`,
  ),
  'device/oversubscribed': entry(
    'warning',
    'A device given to two stages without a policy that asks for it',
    // `joined`: stages that `schedule` puts on one device, if it does so.
    (p: { device: string; stages: readonly string[]; schedule?: string; joined?: readonly string[] }) =>
      `${list(p.stages)} share ${p.device}, so they run one after the other; ` +
      (p.schedule === undefined || p.joined === undefined
        ? 'the policy does not ask for that.'
        : `${p.schedule} puts other stages on one device: ${list(p.joined)}.`),
  ),
  'device/apart': entry(
    'warning',
    'Stages on several devices that the schedule puts on one',
    // `others`: devices of the schedule whose stages are apart too.
    (p: { schedule: string; stages: readonly string[]; devices: readonly string[]; others: number }) =>
      `${p.schedule} puts ${list(p.stages)} on one device, but here they are on ${list(p.devices)}` +
      `${p.others === 0 ? '' : `, and stages of ${count(p.others, 'other device', 'other devices')} are apart too`}: the order is made for another placement. ` +
      'Give these stages the same `on`, or choose a schedule with one stage on each device, such as 1f1b.',
  ),

  'device/number-format': entry(
    'warning',
    'A number format that the device does not have',
    (p: { device: string; format: string; rate: number; known: boolean; other: string }) =>
      p.known
        ? `"${p.device}" has no ${p.format}: the times use the ${show(p.rate, 'compute')} of its other formats. Use \`precision = ${p.other}\` or another device.`
        : `"${p.device}" has no rate for ${p.format}: the times use the ${show(p.rate, 'compute')} of its other formats. Use \`precision = ${p.other}\`. If the device has ${p.format}, set \`compute(${p.format})\`.`,
  ),
  'device/efficiency': entry(
    'information',
    'Times from an efficiency that nobody measured',
    // `guess`: the share of the peak. `reached`: what the whole pipeline has of it. `shared`: what a format takes from the others.
    (p: EfficiencyFacts) => efficiencyText(p),
  ),
  'device/idle': entry(
    'warning',
    'Devices of a cluster that no pipeline uses',
    // `using`: devices that work with `data` data ranks.
    (p: { cluster: string; idle: number; devices: number; data?: number; using?: number }) =>
      `${p.idle} of the ${count(p.devices, 'device', 'devices')} of "${p.cluster}" ${p.idle === 1 ? 'is' : 'are'} idle: no pipeline uses ${p.idle === 1 ? 'it' : 'them'}. ` +
      (p.data === undefined
        ? 'Use more stages or ranks, or a smaller cluster.'
        : `With \`data = ${p.data}\` ${p.using === p.devices ? 'all devices work' : `${p.using} devices work`}; or use more stages or other ranks, or a smaller cluster.`),
  ),

  'memory/no-optimizer': entry(
    'warning',
    'A pipeline that names no optimizer, so its memory lacks the state',
    // `missed`: for measured layers, what does not hold with the usual optimizer.
    (p: { kept: number; usual: string; usually: number; missed?: MissedMemory }) =>
      `This pipeline names no optimizer, so its memory has weights and gradients only, ${p.kept} bytes per parameter: a real run needs more. With \`optimizer = ${p.usual}\` it is ${p.usually} bytes${p.missed === undefined ? '' : `, and ${missedWords(p.missed)}`}. If there is no state, write \`optimizer = none\`.`,
  ),
  'memory/out-of-memory': entry(
    'error',
    'A device that needs more memory than it has',
    (p: {
      stages: readonly string[];
      need: number;
      at: number;
      over: number;
      capacity: number;
      device: string;
      /** What it is made of, each with its size. */
      parts: readonly string[];
    }) =>
      `${p.stages.length === 1 ? 'Stage' : 'Stages'} ${list(p.stages.map((stage) => `"${stage}"`))} ${p.stages.length === 1 ? 'needs' : 'need'} ${bytes(p.need)} at ${time(p.at)}, ${bytes(p.over)} over the ${bytes(p.capacity)} of ${p.device}: ` +
      `${p.parts.join(', ')}.`,
  ),
  'memory/host': entry(
    'error',
    'A host that needs more memory than it has',
    (p: {
      host: string;
      need: number;
      over: number;
      capacity: number;
      /** Devices that keep most there. */
      parts: readonly string[];
      more: number;
      help: string;
    }) =>
      `The host of ${p.host} needs ${bytes(p.need)}, ${bytes(p.over)} over its ${bytes(p.capacity)}: ${list(p.parts)}${p.more > 0 ? `, and ${count(p.more, 'more device', 'more devices')}` : ''}. ${p.help}`,
  ),
  'memory/headroom': entry(['information', 'warning'], 'Little memory left', (p: HeadroomFacts) => headroomText(p)),

  'schedule/incomplete': entry(
    'error',
    'Rows that miss operations',
    // `empty`: the device runs nothing at all.
    (p: { device: string; missing: readonly string[]; total: number; empty?: true }) =>
      `The row of ${p.device} ${p.empty === true ? 'is empty or not written: it ' : ''}misses ${count(p.total, 'operation', 'operations')}: ${list(p.missing)}${p.total > p.missing.length ? ', …' : ''}.`,
  ),
  'schedule/repeated': entry(
    'error',
    'Rows that repeat an operation',
    (p: { operation: string; device: string; reason: string }) => `${p.operation} on ${p.device} ${p.reason}.`,
  ),
  'schedule/deadlock': entry(
    'error',
    'Operations that wait for each other in a cycle',
    // `behind`: the circle is an operation that comes before what it needs, in one row.
    (p: { circle: readonly string[]; behind?: { operation: string; needs: string; device: string } }) =>
      p.behind !== undefined
        ? `Deadlock: ${p.behind.operation} on ${p.behind.device} needs ${p.behind.needs}, which comes after it in the same row.`
        : `Deadlock: these operations wait for each other, so none can start: ${p.circle.join(' → ')}.`,
  ),
  'schedule/slot': entry(
    'error',
    'A clock table with two operations in one slot, or an operation before its input',
    (p: { problem: string }) => `Operation ${p.problem}.`,
  ),
  'schedule/blocked': entry(
    'error',
    'A rule that allows no operation while work is left',
    (p: {
      seconds: number;
      left: number;
      blocked: readonly { readonly device: string; readonly operation: string; readonly reasons: readonly string[] }[];
      more: number;
    }) =>
      `At ${time(p.seconds)} the schedule allows no operation, and ${count(p.left, 'operation is', 'operations are')} left: ` +
      p.blocked
        .map(({ device, operation, reasons }) => `${operation} on ${device} waits for ${list(reasons)}`)
        .join('; ') +
      (p.more > 0 ? `; and ${count(p.more, 'more operation', 'more operations')}.` : '.'),
  ),
  'schedule/shape': entry(
    'error',
    'A policy that cannot run with these numbers',
    (p: { policy: string; problem: string; input: string; values: readonly number[] }) =>
      `${p.policy} cannot run: ${p.problem}${p.values.length > 0 ? `; nearest ${p.input}: ${p.values.join(' or ')}` : ''}.`,
  ),
  'schedule/bubble': entry(['information', 'warning'], 'Idle share, by cause', bubbleWords),
  'schedule/shorter-order': entry(
    'hint',
    'A shorter order of the same operations',
    (p: {
      iteration: number;
      shorter: number;
      /** Seconds that no order is under. */
      bound: number;
      /** Bytes of the fullest device, now and in the shorter order. */
      peak: number;
      peakAfter: number;
      /** Only orders with whole backwards were searched, as the file's order has them. */
      whole?: true;
    }) =>
      [
        `Another order of these operations takes ${time(p.shorter)} instead of ${time(p.iteration)}, ${share(1 - p.shorter / p.iteration)} less.`,
        p.peakAfter > p.peak * (1 + 1e-9)
          ? `It fits the memory: the fullest device needs ${bytes(p.peakAfter)} instead of ${bytes(p.peak)}.`
          : 'It needs no more memory.',
        p.bound < p.shorter * (1 - 1e-9)
          ? `No order${p.whole === true ? ' with whole backwards' : ''} that fits is under ${timeAtLeast(p.bound)}.`
          : `It is proven that no order${p.whole === true ? ' with whole backwards' : ''} that fits is shorter.`,
      ].join(' '),
  ),
  'schedule/stale-weights': entry(
    'information',
    'Weight versions and staleness, by stage',
    (p: {
      rule: string;
      stages: readonly StageVersions[];
      more: number;
      bytes: number;
      inconsistent: boolean;
      unsteady: boolean;
    }) =>
      `${p.stages.every((stage) => stage.staleness === 0) && p.more === 0 ? 'All gradients are applied to the weights that their forwards read' : 'Gradients are applied to newer weights than they were computed with'} (${p.rule}): ` +
      `${alike(p.stages).map(versionsKept).join('; ')}${p.more > 0 ? `, and ${count(p.more, 'more stage', 'more stages')}` : ''}.` +
      (p.bytes > 0 ? ` Older versions take up to ${bytes(p.bytes)} on a device.` : '') +
      (p.inconsistent ? ' Backwards use other weights than their forwards.' : '') +
      (p.unsteady ? ' The time between updates has not settled; `iteration` is a mean. More iterations may help.' : ''),
  ),
  'schedule/missing-version': entry(
    'error',
    'Weights that are needed before they exist',
    (p: { stage: string; microbatch: number; version: number; newest: number; rule: string }) =>
      `Under ${p.rule} the forward of microbatch ${p.microbatch} needs version ${p.version} of the weights of ${p.stage}, but only version ${p.newest} exists by then. Allow fewer microbatches in flight, or use more microbatches per update.`,
  ),

  'comm/exposed': entry(
    'warning',
    'Communication that does not overlap with compute',
    (p: {
      exposed: number;
      share: number;
      parts: readonly { readonly what: string; readonly exposed: number; readonly share: number }[];
      help: string;
    }) =>
      (p.parts.length === 1
        ? `Devices wait ${time(p.exposed)} on average (${share(p.share)} of the iteration) for ${p.parts[0].what}.`
        : `Devices wait ${time(p.exposed)} on average (${share(p.share)} of the iteration) for communication: ${p.parts.map((part) => `${part.what} ${time(part.exposed)} (${share(part.share)})`).join(', ')}.`) +
      (p.help === '' ? '' : ` ${p.help}`),
  ),
  'comm/host': entry(
    'warning',
    'Devices that wait for their hosts',
    (p: {
      exposed: number;
      share: number;
      parts: readonly string[];
      /** The slowest step of the optimizer on the host of the device that waits longest. */
      slowest?: { readonly step: string; readonly seconds: number };
      help: string;
    }) =>
      `Devices wait ${time(p.exposed)} on average (${share(p.share)} of the iteration) for their hosts: ${list(p.parts)}.` +
      (p.slowest === undefined ? '' : ` The slowest step is ${p.slowest.step}, ${time(p.slowest.seconds)}.`) +
      ` ${p.help}`,
  ),
  'comm/fifo-blocks-front-layer': entry(
    'warning',
    'Gradients of the front layer wait until others are sent',
    (p: Waited) =>
      `${waits(p)} while gradients of other layers are sent. They go in the order in which they get ready, so the front layer's go last. Send them first: \`order = forward\`, in pieces (\`partition\`)${p.barrier ? ', and without a barrier' : ''}.${gain(p)}`,
  ),
  'comm/barrier': entry(
    'warning',
    'Layers wait for gradients of other layers at a barrier',
    (p: Waited) =>
      `${waits(p)} of all layers, though its front layer needs only its own. Set \`barrier = false\`, and each layer waits for its own gradients.${gain(p)}`,
  ),
  'comm/bucket-too-small': entry(
    'warning',
    'Calls that take long for what they send',
    (p: Waited) =>
      `${waits(p)} while calls and latencies run that move nothing. Larger buckets${p.whole ? '' : ' and larger pieces'} need fewer calls: \`${p.whole ? 'bucket' : 'partition'} = best\` finds their size.`,
  ),
  'comm/bucket-too-large': entry(
    'warning',
    'Layers that wait for the rest of their bucket',
    (p: Waited) =>
      `${waits(p)} because other layers of the same bucket are not ready, or are sent with it. Use smaller buckets: \`bucket = best\` finds their size.`,
  ),
  'comm/credit-too-large': entry(
    'warning',
    'Urgent gradients that wait behind what has been handed over',
    (p: Waited) =>
      p.whole
        ? `${waits(p)} while a less urgent bucket is sent, which nothing can interrupt. Send buckets in pieces: \`partition = best\` finds their size.`
        : `${waits(p)} while less urgent pieces are sent, which were handed over before. Use less credit or smaller pieces: \`credit = best\` finds it.`,
  ),
  'comm/credit-too-small': entry(
    'warning',
    'A lane that is idle while pieces wait for credit',
    (p: Waited) =>
      `${waits(p)} while pieces queue for credit and nothing is sent. Use more credit: \`credit = best\` finds it.`,
  ),
  'comm/server-bottleneck': entry(
    'warning',
    'Too few parameter servers for the workers',
    (p: { seconds: number; share: number; workers: number; servers: number; enough: number }) =>
      `The links of ${count(p.servers, 'server', 'servers')} are full before the links of ${count(p.workers, 'worker', 'workers')}. With ${count(p.enough, 'server', 'servers')} the iteration would be ${time(p.seconds)} shorter (${share(p.share)}). Use \`servers = ${p.enough}\`, or faster links.`,
  ),
  'comm/slow-fabric': entry(
    'warning',
    'A collective that sends too much over slow links',
    (p: { seconds: number; share: number; link: string; others: number; bandwidth: number; collective: string }) =>
      `The collective waits for the link ${p.link} of ${show(p.bandwidth, 'bandwidth')}${p.others === 0 ? '' : ` and ${p.others} more`}. \`collective = ${p.collective}\` sends less over it: the iteration would be ${time(p.seconds)} shorter (${share(p.share)}).`,
  ),
  'comm/shared-card': entry(
    ['warning', 'information'],
    'Stages whose ranks exchange through one link',
    (p: {
      link: string;
      bandwidth: number;
      stages: readonly string[];
      bytes: number;
      cost?: { readonly seconds: number; readonly share: number; readonly full: number };
      unshared?: { readonly least: number; readonly given: number };
      crowded?: { readonly least: number; readonly iteration: number };
    }) => {
      const link = `the link ${p.link} of ${show(p.bandwidth, 'bandwidth')}`;
      if (p.cost !== undefined)
        return `${list(p.stages)} share ${link} for what their ranks exchange: the iteration is ${time(p.cost.seconds)} longer (${share(p.cost.share)}) than with a link for each stage. They send ${bytes(p.bytes)} through it in each iteration, which takes at least ${time(p.cost.full)}. Give stages separate nodes, or use more or faster links.`;
      if (p.crowded !== undefined)
        return `The iteration is simulated too fast: what ranks of ${list(p.stages)} exchange goes through ${link}. It is ${bytes(p.bytes)} in each iteration, which need at least ${time(p.crowded.least)}, but the iteration takes ${time(p.crowded.iteration)}. Gradients that a rule orders share the link with each other only, and so does all else. Give stages separate nodes, or exchange fewer bytes.`;
      const { least, given } = p.unshared ?? { least: 0, given: 0 };
      return `The exchange of gradients is simulated too fast: gradients of ${list(p.stages)} go through ${link}. These are ${bytes(p.bytes)} in each iteration, which need at least ${time(least)}, but the simulation gives them ${time(given)}. For this exchange it shares a link among the ranks of one stage, not among stages. Give stages separate nodes, or exchange fewer bytes.`;
    },
  ),
  'comm/bottleneck-link': entry(
    'information',
    'A link that is busy most of the time',
    (p: { link: string; share: number }) => `${p.link} is busy ${share(p.share)} of the iteration.`,
  ),

  'place/slow-hop': entry(
    'warning',
    'Stages that send over slower links than they need to',
    (p: { slowest: number; best: number; iteration: number; gain: number }) =>
      `The slowest hop between stages takes ${time(p.slowest)}; on other devices it would take ${time(p.best)}, and the iteration ${time(p.iteration)} (${share(p.gain)} less). Set \`place = best\`, or give each stage its devices with \`on\`.`,
  ),

  'engine/unsupported': entry('warning', 'Something that the chosen engine does not run', unsupportedWords),
  'engine/defaults': entry('hint', 'What the chosen engine does and the file leaves open', defaultsWords),

  'expect/failed': entry(
    'error',
    'An expectation that is not met',
    (p: { text: string; figure: string }) => `Expected ${p.text}, but it is ${p.figure}.`,
  ),

  'measured/reading': entry(
    'information',
    'A recorded run that is still being read',
    (p: { path: string }) => `The run "${p.path}" is being read. Its drift follows; no other figure depends on it.`,
  ),
  'measured/unread': entry(
    'warning',
    'A recorded run that cannot be read',
    (p: { path: string; detail: string }) => `The run "${p.path}" is not read, so there is no drift: ${p.detail}.`,
  ),
  'measured/other-run': entry(
    'warning',
    'A recorded run of another pipeline',
    (p: { detail: string }) =>
      `The run does not match the pipeline, so there is no drift: ${p.detail}. Name a run of this plan, or change the plan to what ran.`,
  ),

  'import/not-found': entry(
    'error',
    'An imported file that does not exist',
    // `advice`: what the file must be, if that is known.
    (p: { path: string; advice?: string }) =>
      p.path === ''
        ? `Write a path between the quotes${p.advice === undefined ? ', such as "hardware.pipe" or "std:hardware"' : ''}.${adviceOf(p)}`
        : `There is no file "${p.path}".${adviceOf(p)}`,
  ),
  'import/outside-workspace': entry(
    'error',
    'An import from outside the project or an untrusted workspace',
    // `outside`: what it is outside of, and the way out; empty for a workspace.
    (p: { path: string; outside: string }) =>
      `"${p.path}" is outside ${p.outside === '' ? 'this workspace, which is not trusted, so it is not read. Trust the workspace or move the file into it' : p.outside}.`,
  ),
  'import/unreadable': entry(
    'error',
    'An imported file that cannot be read',
    (p: { path: string; detail: string }) => `"${p.path}" cannot be read: ${p.detail}.`,
  ),

  'limit/too-large': entry(
    ['error', 'information'],
    "Larger than the engine's limit",
    (
      p:
        | { what: string; figure: string; limit: string; setting?: string }
        | { findings: string; shown: string; setting: string },
    ) =>
      'shown' in p
        ? `This file has at least ${p.findings} findings; the ${p.shown} most severe are shown. Fix these first, or raise the setting "${p.setting}" in an editor.`
        : p.setting === undefined
          ? `${p.what}: ${p.figure}, over the limit of ${p.limit}, which is fixed. Reduce them.`
          : `${p.what}: ${p.figure}, over the limit of ${p.limit}. Reduce it, or raise the setting "${p.setting}" in an editor; the command line's limit is fixed.`,
  ),
} as const;

export type Code = keyof typeof catalogue;
/** Severities that a finding with this code can have. */
export type SeverityOf<C extends Code> = (typeof catalogue)[C]['severities'][number];
export type Parameters<C extends Code> = (typeof catalogue)[C]['message'] extends (p: infer P) => string ? P : never;
export const codes = Object.keys(catalogue) as readonly Code[];
