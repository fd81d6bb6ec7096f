import type { Block, Call, Expression } from '../../../grammar/syntax.ts';
import { parametersOf } from '../../findings/finding.ts';
import { batchKey } from '../microbatches.ts';
import { pipelineBody, setKey, valueOf } from '../source.ts';
import { replaced, inserted } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** The nearest numbers that the policy takes, and policies that take the numbers as they are: the fastest plan first. */
export const scheduleShape: Repairer = { repairs, ranked: 'figures' };

/** Policies that run with any number of stages or microbatches. */
const anyShape = ['1f1b', 'gpipe'];

function* repairs(mistake: Mistake): Generator<Repair | undefined> {
  const { analysis, finding } = mistake;
  const { syntax } = analysis;
  const parameters = parametersOf(finding, 'schedule/shape');
  const { declaration } = siteAt(syntax, finding.place.start);
  if (parameters === undefined || declaration?.body === undefined) return;
  const { input, values } = parameters;
  const name = declaration.name?.text ?? '';
  const body = pipelineBody(syntax, name) ?? declaration.body;
  const hinted = finding.hint?.kind === 'value' ? finding.hint.values : [];
  const schedule = valueOf(body, 'schedule');
  for (const value of new Set([...values, ...hinted])) {
    const text = String(value);
    const samples = input === 'microbatches' ? samplesOf(analysis, body, name) : undefined;
    if (samples !== undefined) {
      const batch = String(value * samples);
      const written = valueOf(body, 'global_batch');
      yield { what: `Set global_batch to ${batch}`, edits: [numberOf(mistake, written, batch)] };
    } else if (input === 'microbatches')
      yield {
        what: `Set microbatches to ${text}`,
        edits: [
          numberOf(mistake, valueOf(body, 'microbatches'), text) ?? setKey(syntax.text, body, 'microbatches', text),
        ],
      };
    else if (input === 'stages') yield* stageCount(mistake, valueOf(body, 'stages'), text);
    else if (input === 'devices') yield* deviceCount(mistake, valueOf(body, 'devices'), valueOf(body, 'stages'), text);
    else yield { what: `Set ${input} to ${text}`, edits: [argumentEdit(mistake, schedule, input, text)] };
  }
  if (schedule === undefined) return;
  // Arguments that the policy cannot take may go.
  if (schedule.kind === 'call')
    yield { what: `Use ${schedule.callee.text} without arguments`, edits: [replaced(schedule, schedule.callee.text)] };
  const written = schedule.kind === 'call' ? schedule.callee.text : syntax.text.slice(schedule.start, schedule.end);
  for (const policy of anyShape)
    if (policy !== written) yield { what: `Use ${policy}`, edits: [replaced(schedule, policy)], last: true };
}

/** Samples of one microbatch on all data ranks, if the pipeline says its batch in samples. */
function samplesOf({ resolution }: Mistake['analysis'], body: Block, name: string): number | undefined {
  const plan = resolution.plan.pipelines.find((pipeline) => pipeline.name === name);
  if (plan === undefined || batchKey(body) === 'microbatches') return undefined;
  return plan.microBatchSize * plan.data;
}

/** A number where it is written; a param or let where it is declared, so that its slider stays. */
function numberOf({ analysis }: Mistake, value: Expression | undefined, text: string) {
  if (value === undefined) return undefined;
  if (value.kind === 'name') {
    for (const each of analysis.syntax.declarations)
      if ((each.kind === 'param' || each.kind === 'let') && each.name?.text === value.text && each.value !== undefined)
        return replaced(each.value, text);
  }
  return replaced(value, text);
}

function* stageCount(mistake: Mistake, cut: Expression | undefined, text: string): Generator<Repair> {
  if (cut?.kind !== 'call') return;
  const count = cut.callee.text === 'balance' ? cut.arguments[0]?.value : undefined;
  const what = `Set stages to ${text}`;
  if (count !== undefined) yield { what, edits: [numberOf(mistake, count, text)] };
  else if (cut.callee.text === 'split')
    yield { what: `${what} (balanced)`, edits: [replaced(cut, `balance(${text})`)] };
}

/** Devices of the cluster, with as many stages where these are counted. */
function* deviceCount(
  { analysis }: Mistake,
  devices: Expression | undefined,
  cut: Expression | undefined,
  text: string,
): Generator<Repair> {
  const cluster = analysis.syntax.declarations.find(
    (each) =>
      each.kind === 'block' &&
      each.keyword.text === 'cluster' &&
      devices?.kind === 'name' &&
      each.name?.text === devices.text,
  );
  if (cluster?.kind !== 'block') return;
  for (const item of cluster.body?.entries ?? []) {
    const [index] = item.kind === 'entry' ? (item.index ?? []) : [];
    if (index?.kind !== 'quantity') continue;
    yield { what: `Set devices to ${text}`, edits: [replaced(index, text)] };
    const count = cut?.kind === 'call' && cut.callee.text === 'balance' ? cut.arguments[0]?.value : undefined;
    if (count !== undefined)
      yield { what: `Set devices and stages to ${text}`, edits: [replaced(index, text), replaced(count, text)] };
  }
}

/** `chunks`, or `warmup[2]` for one number of a list; added where it is not written. */
function argumentEdit(mistake: Mistake, schedule: Expression | undefined, input: string, text: string) {
  const [, name = input, at] = /^(\w+)\[(\d+)\]$/.exec(input) ?? [];
  if (schedule?.kind === 'name') return at === undefined ? inserted(schedule.end, `(${name} = ${text})`) : undefined;
  if (schedule?.kind !== 'call') return undefined;
  const written = argumentNamed(schedule, name);
  if (written !== undefined && at !== undefined)
    return written.kind === 'list' && written.items[Number(at)] !== undefined
      ? replaced(written.items[Number(at)], text)
      : undefined;
  if (written !== undefined) return numberOf(mistake, written, text);
  const last = schedule.arguments.at(-1);
  // A place among unnamed arguments may already be this one's.
  if (at !== undefined || (last !== undefined && last.name === undefined)) return undefined;
  return inserted(last?.end ?? schedule.end - 1, `${last === undefined ? '' : ', '}${name} = ${text}`);
}

/** An argument by its name; the only one without a name. */
const argumentNamed = ({ arguments: all }: Call, name: string): Expression | undefined =>
  (all.find((each) => each.name?.text === name) ?? (all.length === 1 && all[0].name === undefined ? all[0] : undefined))
    ?.value;
