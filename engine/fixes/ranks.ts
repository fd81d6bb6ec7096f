/** Other ranks on the same devices with the same batch, and what tensor ranks can split in addition to layers. */
import { list } from '../basics/quantities.ts';
import { cutStages } from '../costs/stages.ts';
import { deepspeed } from '../engines/deepspeed.ts';
import { numberAt, setNumber, type Subject } from './candidates.ts';
import { isWorthSplitting } from './contextSplit.ts';
import { batchKey } from './microbatches.ts';
import type { Edit } from './proposal.ts';
import { followsDevices, recut } from './recut.ts';
import { overlapTensorShare } from '../costs/overlapShares.ts';
import { withoutNode } from './repairs/edits.ts';
import { overlapTensorEdit, sequenceKey } from './overlapTensor.ts';
import { addKey, entriesOf, setKey, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

/** What lies between the products of a layer is split over tensor ranks, too: it needs less memory, and moves no more bytes. */
export function* sequenceCandidates({ analysis, body, plan }: Subject): Generator<Candidate, void, void> {
  const key = sequenceKey(body);
  const written = valueOf(body, key);
  if (plan.tensor < 2 || (written !== undefined && (written.kind !== 'name' || written.text !== 'false'))) return;
  yield {
    what: `Set ${key} = true`,
    kind: 'sequence',
    edits: [setKey(analysis.syntax.text, body, key, 'true')],
  };
}

/** Kernels that send while they compute. */
export function* overlapTensorCandidates({ analysis, body, plan }: Subject): Generator<Candidate, void, void> {
  const edit = plan.tensor < 2 ? undefined : overlapTensorEdit(analysis.syntax.text, body, plan.tensor);
  if (edit === undefined) return;
  yield {
    what: `Hide ${100 * overlapTensorShare(plan.tensor)} % of the exchanges of tensor ranks, in kernels that send while they compute`,
    kind: 'overlap',
    edits: [edit],
  };
}

/** The same, with the split activations that such kernels need. */
export function* sequenceWithOverlap(subject: Subject): Generator<Candidate, void, void> {
  const [split] = sequenceCandidates(subject);
  if (split === undefined) return;
  const { analysis, body, plan } = subject;
  const share = Math.round(100 * overlapTensorShare(plan.tensor));
  if (entriesOf(body, 'overlap').length > 0) return;
  yield {
    what: `${split.what} and overlap(tensor) = ${share}%`,
    kind: 'sequence, overlap',
    edits: [...split.edits, addKey(analysis.syntax.text, body, 'overlap(tensor)', `${share}%`)],
  };
}

/** Half the tensor ranks and twice the data ranks. */
export function* fewerTensorRanks(subject: Subject): Generator<Candidate, void, void> {
  const { tensor } = subject.plan;
  if (valueOf(subject.body, 'tensor') !== undefined && tensor % 2 === 0)
    yield* traded(subject, { tensor: tensor / 2, data: 2 * subject.plan.data });
}

/**
 * Twice the tensor ranks within a node and half the data ranks: less of each layer on a device, and larger messages. Sequence parallelism
 * goes with them, as in a search.
 */
export function* moreTensorRanks(subject: Subject): Generator<Candidate, void, void> {
  const { tensor, data, stages } = subject.plan;
  const { perNode = 0 } = subject.analysis.resolution.sizes.get(subject.pipeline) ?? {};
  if (stages.every(({ forwardFlops }) => forwardFlops === 0) || perNode % (2 * tensor) !== 0) return;
  if (data % 2 === 0) yield* traded(subject, { tensor: 2 * tensor, data: data / 2 });
}

/** How many context ranks a sample is split over at once, the fewest first. */
const shares = [2, 4, 8];

/** Whether each context rank has enough of a sample; true of a model that does not say its tokens. */
function isWorth({ analysis, pipeline }: Subject, context: number): boolean {
  const sequence = analysis.resolution.sizes.get(pipeline)?.model.sequence;
  return sequence === undefined || isWorthSplitting(sequence, context);
}

/** Context ranks in place of data ranks: each device keeps a part of each sample. */
export function* contextCandidates(subject: Subject): Generator<Candidate, void, void> {
  const { context, data, stages } = subject.plan;
  // Layers with times of their own take as long on any number of ranks.
  if (stages.every(({ forwardFlops }) => forwardFlops === 0)) return;
  for (const share of shares)
    if (data % share === 0 && isWorth(subject, share * context))
      yield* traded(subject, { context: share * context, data: data / share });
}

/** Context ranks in place of all data ranks, and of pipeline ranks. */
export function* contextForPipeline(subject: Subject): Generator<Candidate, void, void> {
  const { context, data, stages, devices } = subject.plan;
  if (stages.every(({ forwardFlops }) => forwardFlops === 0)) return;
  for (const share of shares) {
    const pipeline = (devices.length * data) / share;
    if (share > data && Number.isInteger(pipeline) && isWorth(subject, share * context))
      yield* traded(subject, { context: share * context, data: 1, pipeline });
  }
}

/** Twice the pipeline ranks and half the data ranks: half of the layers on a device, where weights and their state leave too little. */
export function* morePipelineRanks(subject: Subject): Generator<Candidate, void, void> {
  const { data, devices } = subject.plan;
  if (devices.length > 1 && data % 2 === 0) yield* traded(subject, { data: data / 2, pipeline: 2 * devices.length });
}

/** Keys and values get to the context ranks by the other method. */
export function* contextExchangeCandidates({ analysis, body, plan }: Subject): Generator<Candidate, void, void> {
  const written = valueOf(body, 'context_exchange');
  const other = written?.kind === 'name' && written.text === 'all_to_all' ? 'ring' : 'all_to_all';
  if (plan.context < 2) return;
  yield {
    what: `Set context_exchange = ${other}`,
    kind: 'context exchange',
    edits: [setKey(analysis.syntax.text, body, 'context_exchange', other)],
  };
}

type Ranks = Partial<Readonly<Record<'tensor' | 'context' | 'data', number>>>;

/** Sets numbers of ranks, and as many microbatches as keep the batch. With other pipeline ranks, each has as many stages as before. */
export function* traded(
  { analysis, body, plan }: Subject,
  { pipeline, ...wanted }: Ranks & { readonly data: number; readonly pipeline?: number },
): Generator<Candidate> {
  const { text } = analysis.syntax;
  // With a global batch, the microbatches follow.
  const follows = batchKey(body) === 'global_batch';
  const microbatches = valueOf(body, 'microbatches');
  const now = follows ? plan.microbatches : numberAt(analysis, microbatches);
  const count = ((now ?? NaN) * plan.data) / wanted.data;
  if (!Number.isInteger(count)) return;
  const changed = Object.entries(wanted).filter(([key, ranks]) => plan[key as keyof Ranks] !== ranks);
  const edits = changed.map(([key, ranks]): Edit | undefined => {
    const value = valueOf(body, key);
    if (value !== undefined) return setNumber(analysis, value, ranks);
    return setKey(text, body, key, String(ranks));
  });
  const splits =
    (wanted.tensor ?? 0) > plan.tensor &&
    valueOf(body, sequenceKey(body)) === undefined &&
    // How its layers are split is up to its users.
    plan.engines?.chosen !== deepspeed.name;
  if (splits) edits.push(setKey(text, body, 'sequence_parallel', 'true'));
  const split = entriesOf(body, sequenceKey(body))[0];
  if (wanted.tensor === 1 && split !== undefined) edits.push(withoutNode(analysis.syntax, split));
  const cut = pipeline === undefined ? [] : cutFor({ analysis, body, plan }, pipeline);
  const all = [...changed, ...(pipeline === undefined ? [] : [['pipeline', pipeline] as const])];
  const names = all.map(([key, ranks]) => `${ranks} ${key}`);
  yield {
    what: `Use ${list(names)} ${(pipeline ?? wanted.data) === 1 ? 'rank' : 'ranks'} with ${count} ${count === 1 ? 'microbatch' : 'microbatches'}${splits ? ' and sequence parallelism' : ''}`,
    kind: 'tensor' in wanted ? 'tensor' : 'context' in wanted ? 'context' : 'pipeline',
    edits: [...edits, ...cut, ...(follows ? [] : [setNumber(analysis, microbatches, count)])],
  };
}

/** The stages of fewer pipeline ranks; `undefined` among the edits where the file cannot have them. */
function cutFor(
  { analysis, body, plan }: Pick<Subject, 'analysis' | 'body' | 'plan'>,
  pipeline: number,
): readonly (Edit | undefined)[] {
  if (followsDevices(valueOf(body, 'stages'))) return [];
  const found = recut(analysis.syntax, body, (cutStages(plan).length * pipeline) / plan.devices.length);
  return 'refused' in found ? [undefined] : found.edits;
}
