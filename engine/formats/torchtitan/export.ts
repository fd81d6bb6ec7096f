/** A configuration function of torchtitan for a pipeline, with its table. `pipeOfTorchtitanPython` reads it back. */
import { count } from '../../basics/quantities.ts';
import type { ShapeArguments } from '../../costs/shape.ts';
import { isLoop, isV } from '../../engines/orders.ts';
import { torchtitan } from '../../engines/torchtitan.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { hasPipeline, type Launch, launchRefusal, trainsPart, type Unwritable, worldOf } from '../launch.ts';
import { layersText } from '../program/layersText.ts';
import { pythonString } from '../program/pythonString.ts';
import { exportTorch } from '../torchCsv/export.ts';
import { rowsText } from '../torchCsv/table.ts';
import { lossOrder } from '../torchScript/lossOrder.ts';
import { type Modules, modulesOf } from './modules.ts';
import { type Settings, settingsOf } from './settings.ts';

/** Equal pipelines give equal texts. */
export function exportTorchtitan(
  launch: Launch,
  program: Program,
): { readonly text: string; readonly notes: readonly string[] } | Unwritable {
  const { plan, pipeline } = launch;
  const refusal = launchRefusal(torchtitan, launch);
  if (refusal !== undefined) return refusal;
  if (trainsPart(pipeline.model))
    return {
      problem:
        'adapters are a converter of the model in torchtitan (`LoRAConverter`), which this export does not write',
    };
  const modules = modulesOf(pipeline.model, plan.stages);
  if ('problem' in modules) return modules;
  const order = hasPipeline(plan) ? orderOf(plan, program) : noOrder;
  if ('problem' in order) return order;
  // One stage a rank is in a loop too. A V of two ranks and more is none.
  const settings = settingsOf(launch, { split: program.split, isV: !isLoop(plan) && isV(plan) });
  if ('problem' in settings) return settings;
  const base = baseOf(launch, modules);
  const notes = [...order.notes, ...modules.notes, ...settings.notes, base.note];
  return {
    text: programText(launch, { settings, modules, base, notes, rows: order.rows }),
    notes,
  };
}

/** The lines of the table; absent without pipeline ranks. */
interface Order {
  readonly rows?: string;
  readonly notes: readonly string[];
}

const noOrder: Order = { notes: [] };

function orderOf(plan: PipelinePlan, program: Program): Order | Unwritable {
  const exported = exportTorch(plan, program, false, ['ranks', 'recompute', 'shards']);
  if ('problem' in exported) return exported;
  const disorder = lossOrder(exported.table, program.stages);
  return disorder === undefined ? { rows: rowsText(exported.table), notes: exported.notes } : { problem: disorder };
}

/** A function of `torchtitan/models/MODEL/config_registry.py`. */
interface Base {
  readonly model: string;
  readonly name: string;
}

const llama3 = (name: string): Base => ({ model: 'llama3', name });
const qwen3 = (name: string): Base => ({ model: 'qwen3', name });

/** Arguments of layers that tell models apart. */
const ofBlock = ['hidden', 'heads', 'kv_heads', 'ffn'];
const ofExperts = ['experts', 'experts_per_token', 'expert_ffn', 'shared_experts'];

/** Configurations of torchtitan by layers, vocabulary, `ofBlock` of the first layer, and `ofExperts` of the first that has experts. */
const bases: ReadonlyMap<string, Base> = new Map([
  ['32 128256 4096 32 8 14336', llama3('llama3_8b')],
  ['80 128256 8192 64 8 28672', llama3('llama3_70b')],
  ['126 128256 16384 128 8 53248', llama3('llama3_405b')],
  ['40 151936 5120 40 8 17408', qwen3('qwen3_14b')],
  ['64 151936 5120 64 8 25600', qwen3('qwen3_32b')],
  ['48 151936 2048 32 4 - 128 8 768 -', qwen3('qwen3_30b_a3b')],
  ['61 129280 7168 128 - 18432 256 8 2048 1', { model: 'deepseek_v3', name: 'deepseek_v3_671b' }],
]);

/** The configuration that has the model of the pipeline, as far as that is known here. */
function baseOf({ pipeline }: Launch, { layers }: Modules): Base & { readonly note: string } {
  const all = (shape: string): readonly ShapeArguments[] =>
    pipeline.model.layers.flatMap(({ cost }) => (cost.kind === 'shape' && cost.shape === shape ? [cost.args] : []));
  const values = (args: ShapeArguments | undefined, names: readonly string[]): readonly string[] =>
    args === undefined ? [] : names.map((name) => String(args[name] ?? '-'));
  const blocks = all('transformer');
  const mixture = blocks.find(({ experts }) => experts !== undefined);
  const known = bases.get(
    [
      String(layers),
      ...values(all('embedding')[0], ['vocab']),
      ...values(blocks[0], ofBlock),
      ...values(mixture, ofExperts),
    ].join(' '),
  );
  return known === undefined
    ? {
        ...llama3('llama3_debugmodel'),
        note: `The model is not written: put a configuration with your model of ${count(layers, 'layer', 'layers')} in the place of llama3_debugmodel.`,
      }
    : { ...known, note: `Model, data and loss come from ${known.name}: put your configuration in its place.` };
}

function programText(
  launch: Launch,
  {
    settings,
    modules,
    base,
    notes,
    rows,
  }: {
    readonly settings: Settings;
    readonly modules: Modules;
    readonly base: Base;
    readonly notes: readonly string[];
    readonly rows: string | undefined;
  },
): string {
  const { devices, nodes, each } = worldOf(launch);
  const { checkpointing, budget, values } = settings;
  return `"""A configuration of torchtitan for ${count(devices, 'device', 'devices')}, read in ${torchtitan.read}, written by Pipewright.

    PYTHONPATH=FOLDER torchrun --nnodes ${nodes} --nproc-per-node ${each} ... \\\\
        -m torchtitan.train --module NAME_OF_THIS_FILE --config pipeline

What it does not have of the plan:

${notes.map((note) => `- ${pythonString(note).slice(1, -1)}`).join('\n')}
"""

${
  rows === undefined
    ? ''
    : `import atexit
import os
import tempfile
`
}${checkpointing === undefined ? '' : `\nfrom torchtitan.distributed.activation_checkpoint import ${checkpointing}`}
from torchtitan.models.${base.model}.config_registry import ${base.name} as base
from torchtitan.trainer import Trainer

PIPELINE = ${pythonString(launch.plan.name)}
MODEL_LAYERS = ${modules.layers}

# Modules of each stage.
${layersText(modules.stages)}${rows === undefined ? '' : tableText(rows)}

def pipeline() -> Trainer.Config:
    config = base()
    if len(config.model_spec.model.layers) != MODEL_LAYERS:
        raise ValueError(f"The pipeline has {MODEL_LAYERS} layers, the model {len(config.model_spec.model.layers)}.")
${values.map(([path, value]) => `    config.${path} = ${value}\n`).join('')}${
    rows === undefined
      ? ''
      : `    config.parallelism.module_fqns_per_model_part = LAYERS
    config.parallelism.pipeline_parallel_schedule_csv = table()
`
  }    config.activation_checkpoint = ${checkpointing === undefined ? 'None' : `${checkpointing}.Config(${budget === undefined ? '' : `memory_budget=${budget}`})`}
    return config
`;
}

const tableText = (rows: string): string => `
# One line a rank: F forward, B backward, I and W its halves (input, weights); stage before, microbatch after.
SCHEDULE = """
${rows}
"""


def table():
    """The schedule as a file, which is all that torchtitan reads; it goes when the process ends."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", delete=False) as file:
        file.write(SCHEDULE.strip() + "\\n")
    atexit.register(os.unlink, file.name)
    return file.name

`;
