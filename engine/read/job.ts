/** Reads a `job`: pipelines of the file that train one model together. */
import type { BlockDeclaration, Expression, Name } from '../../grammar/syntax.ts';
import { count } from '../basics/quantities.ts';
import { findPolicy } from '../policies/registry.ts';
import { detail, symbolId } from '../language/context.ts';
import type { ReadContext } from './context.ts';
import { evaluate } from '../language/expressions.ts';
import { readKeys, valueOf, type Keys, quantityOrDefault } from '../language/keys.ts';
import { paths, type JobPlan, type PipelinePlan } from '../values/plan.ts';
import { describe, type LinkValue } from '../language/values.ts';
import { readLink } from './link.ts';
import { readWorkerSync } from './workerSync.ts';

/** The plan; `undefined` where something of it, or a pipeline that it needs, is wrong, which has been reported. */
export function readJob(
  context: ReadContext,
  block: BlockDeclaration,
  pipelines: ReadonlyMap<string, PipelinePlan>,
): JobPlan | undefined {
  const before = context.report.errors();
  const at = block.name ?? block.keyword;
  const keys = readKeys(context, 'job', block.body, at);
  const names = readWorkers(context, keys);
  const syncValue = valueOf(keys.find('sync'));
  const sync = syncValue === undefined ? undefined : readWorkerSync(context, syncValue);
  const servers = quantityOrDefault(context, keys, 'servers');
  const waves = quantityOrDefault(context, keys, 'waves');
  const linkValue = valueOf(keys.find('link'));
  const written = linkValue === undefined ? undefined : readLink(context, linkValue);
  if (block.name === undefined || keys.doubtful || names === undefined || sync === undefined) return undefined;
  if (servers === undefined || waves === undefined || (linkValue !== undefined && written === undefined))
    return undefined;
  const workers = plannedWorkers(context, names, pipelines);
  if (workers === undefined || context.report.errors() !== before) return undefined;
  // A second job of a name is not planned: paths would be ambiguous.
  if (context.names.get(block.name.text)?.declaration?.start !== block.name.start) return undefined;
  const { name } = block;
  const origin = (path: string, span: { readonly start: number; readonly end: number }) =>
    context.origins.set(path, context.report.place(span));
  origin(paths.job(name.text), name);
  for (const [index, worker] of names.entries()) origin(paths.jobWorker(name.text, index), worker);
  for (const entry of keys.entries) {
    const value = valueOf(entry);
    if (value !== undefined) origin(paths.jobKey(name.text, entry.key.text), value);
  }
  detail(
    context,
    symbolId('job', name.text),
    `${sync.kind === 'wsp' ? `wsp, distance ${sync.distance}` : sync.kind}, ${count(names.length, 'worker', 'workers')}`,
  );
  return {
    name: name.text,
    doc: block.doc,
    workers: workers.map((worker) => worker.name),
    sync,
    servers,
    link: serverLink(context, written, names, syncValue),
    waves,
  };
}

function readWorkers(context: ReadContext, keys: Keys): readonly Name[] | undefined {
  const entry = keys.find('workers');
  const written = (entry?.values ?? []).flatMap((value) => (value.kind === 'list' ? value.items : [value]));
  const names: Name[] = [];
  let wrong = false;
  for (const value of written) {
    if (value.kind === 'missing') continue;
    if (value.kind === 'name' && context.links.get(value) === symbolId('pipeline', value.text)) names.push(value);
    else wrong ||= notAPipeline(context, value);
  }
  if (entry !== undefined && written.length === 0) {
    context.report.report('type/mismatch', entry.key, { expected: 'at least one pipeline', found: 'none' });
    return undefined;
  }
  for (const [index, worker] of names.entries()) {
    const first = names.find((other) => other.text === worker.text);
    if (first === undefined || first === worker || names.indexOf(first) === index) continue;
    const related = [{ place: context.report.place(first), message: 'Here too.' }];
    context.report.report('name/duplicate', worker, { kind: 'worker', name: worker.text }, { related });
  }
  return wrong || names.length === 0 ? undefined : names;
}

/** An unknown name, or the name of something else, was reported when it was looked up. */
function notAPipeline(context: ReadContext, value: Expression): true {
  if (value.kind === 'name') return true;
  const found = evaluate(context, value);
  if (found !== undefined)
    context.report.report('type/mismatch', value, { expected: 'the name of a pipeline', found: describe(found) });
  return true;
}

/** Plans of the workers, which must fit together. What is wrong with a pipeline by itself has been reported there. */
function plannedWorkers(
  context: ReadContext,
  names: readonly Name[],
  pipelines: ReadonlyMap<string, PipelinePlan>,
): readonly PipelinePlan[] | undefined {
  const plans: PipelinePlan[] = [];
  for (const name of names) {
    const plan = pipelines.get(name.text);
    if (plan !== undefined) plans.push(plan);
    else if (context.names.get(name.text)?.declaration?.uri !== context.uri) {
      const found = `"${name.text}" of another file`;
      context.report.report('type/mismatch', name, { expected: 'a pipeline of this file', found });
    }
  }
  if (plans.length < names.length) return undefined;
  for (const [index, plan] of plans.entries()) {
    const problem = unfit(plan) ?? misfit(context, plans, index);
    if (problem === undefined) continue;
    if ('message' in problem) context.report.report('stage/device-count', names[index], problem);
    else context.report.report('type/mismatch', names[index], problem);
  }
  return plans;
}

type Problem = { readonly expected: string; readonly found: string } | { readonly message: string };

/** Why a pipeline cannot be a worker at all. */
function unfit({ name, schedule, transfer, lengths }: PipelinePlan): Problem | undefined {
  const expected = 'a pipeline with an asynchronous schedule such as `pipedream(in_flight = 4)`';
  const mismatch = (found: string): Problem => ({ expected, found });
  const policy = schedule.kind === 'policy' ? findPolicy(schedule.name) : undefined;
  const rule =
    schedule.kind === 'policy'
      ? policy?.weights?.(schedule.args)
      : schedule.kind === 'greedy'
        ? schedule.weights
        : undefined;
  if (schedule.kind === 'rows' && schedule.weights !== undefined)
    return mismatch(`"${name}" under ${schedule.name}, whose rows hold for one number of iterations`);
  if ((rule ?? 'flush') === 'flush')
    return mismatch(`"${name}" under ${schedule.name}, which ends every iteration before the next`);
  if (schedule.kind === 'greedy' && (schedule.inFlight[0] ?? null) === null)
    return mismatch(`"${name}" under ${schedule.name}, which has no limit "in_flight" for the first stage`);
  if (transfer !== undefined)
    return {
      expected: 'a pipeline that computes while it sends',
      found: `"${name}" with blocking transfers; leave out its "transfer"`,
    };
  if (lengths !== undefined)
    return {
      expected: 'a pipeline whose microbatches have one length',
      found: `"${name}" with different lengths; leave out its "tokens" or "documents"`,
    };
  if (schedule.kind === 'greedy' && schedule.times !== undefined)
    return mismatch(`"${name}" under ${schedule.name}, which gives single operations a time`);
  return undefined;
}

/** Why a pipeline cannot be a worker together with the pipelines before it. */
function misfit(context: ReadContext, plans: readonly PipelinePlan[], index: number): Problem | undefined {
  const plan = plans[index];
  if (plan.model !== plans[0].model) {
    return {
      expected: `a pipeline of the model "${plans[0].model}", which the first worker trains`,
      found: `"${plan.name}" of the model "${plan.model}"`,
    };
  }
  const occupied = context.occupied.get(plan.name);
  for (const other of plans.slice(0, index)) {
    const theirs = context.occupied.get(other.name);
    if (other.name === plan.name || occupied === undefined || occupied.cluster !== theirs?.cluster) continue;
    const shared = occupied.devices.find((device) => theirs.devices.includes(device));
    if (shared === undefined) continue;
    const { devices, name } = occupied.cluster;
    const message = `Workers "${other.name}" and "${plan.name}" both use ${devices[shared].name} of "${name}"; each worker needs separate devices.`;
    return { message };
  }
  return undefined;
}

/** The link as written. Without one, the slowest between nodes of the workers' clusters, which an inlay hint names. */
function serverLink(
  context: ReadContext,
  written: LinkValue | undefined,
  names: readonly Name[],
  at: Expression | undefined,
): JobPlan['link'] {
  if (written !== undefined) return planned(written);
  const links = names.flatMap(({ text }) => {
    const cluster = context.occupied.get(text)?.cluster;
    const link = cluster === undefined || cluster.nodes.length < 2 ? undefined : cluster.groups[0].link;
    return link === undefined ? [] : [link];
  });
  const [slowest] = links.toSorted((a, b) => a.bandwidth - b.bandwidth);
  if (at !== undefined) {
    const [text, tooltip] =
      slowest === undefined
        ? [' pushes and pulls take no time', 'No `link` sets the bandwidth to the servers, and no cluster has nodes.']
        : [
            ' over the link between nodes',
            'The slowest `link` between nodes of the workers’ clusters, for each server.',
          ];
    context.derived.push({ offset: at.end, text, tooltip });
  }
  return slowest === undefined ? undefined : planned(slowest);
}

const planned = ({ bandwidth, latency, sharing }: Pick<LinkValue, 'bandwidth' | 'latency' | 'sharing'>) => ({
  bandwidth,
  latency,
  duplex: sharing === 'full' ? ('full' as const) : ('half' as const),
});
