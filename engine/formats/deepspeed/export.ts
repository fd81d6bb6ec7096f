/** A program of DeepSpeed for a pipeline: its configuration, and a PipelineModule that is cut where the file cuts. `pipeOfDeepspeedProgram` reads it back. */
import { count } from '../../basics/quantities.ts';
import { deepspeed } from '../../engines/deepspeed.ts';
import { hasPipeline, type Launch, launchRefusal, trainsPart, type Unwritable, worldOf } from '../launch.ts';
import { layersText } from '../program/layersText.ts';
import { pythonString } from '../program/pythonString.ts';
import { configurationOf } from './configuration.ts';
import { loadModel, parseOptions, wholeProgram } from './wholeProgram.ts';

/** Equal pipelines give equal texts. */
export function exportDeepspeed(
  launch: Launch,
): { readonly text: string; readonly notes: readonly string[] } | Unwritable {
  const { plan, pipeline } = launch;
  const refusal = launchRefusal(deepspeed, launch);
  if (refusal !== undefined) return refusal;
  if (plan.stages.length !== plan.devices.length) return { problem: 'DeepSpeed has one stage on each pipeline rank' };
  if (plan.placement.some((device, stage) => device !== stage))
    return { problem: 'DeepSpeed has stage s on pipeline rank s, and stages here are elsewhere' };
  if (trainsPart(pipeline.model))
    return { problem: 'the program would train all weights, and some are frozen here or have adapters' };
  if (plan.edges.some(({ from, to }) => to !== from + 1))
    return { problem: 'a PipelineModule passes data to the next stage only, and data here passes stages by' };
  if (plan.stages.some(({ layers }) => layers.length === 0))
    return { problem: 'a stage of DeepSpeed begins with a layer, and a stage here has none' };
  const configuration = configurationOf(launch);
  const isPipeline = hasPipeline(plan);
  const notes = [...configuration.notes, ...notWritten(launch), timesNote, isPipeline ? layersNote : modelNote];
  return {
    text: isPipeline
      ? programText(launch, configuration.json, notes)
      : wholeProgram({ ...worldOf(launch), plan }, configuration.json, notes),
    notes,
  };
}

const notWritten = ({ plan: { lengths, fill, transfer, devices }, pipeline: { mesh } }: Launch): readonly string[] => [
  ...(mesh.tensor > 1 && devices.length === 1
    ? ['DeepSpeed splits layers over tensor ranks by their names (AutoTP), and sequence parallelism is in your model.']
    : []),
  ...(mesh.context > 1 ? ['The parts of a sample for its context ranks come from your data (Ulysses).'] : []),
  ...(mesh.tensor > 1 && devices.length > 1
    ? [
        'How layers are split over tensor ranks, and sequence parallelism, is in your layers: DeepSpeed makes the groups (its "model" ranks).',
      ]
    : []),
  ...(mesh.expert > 1 ? ['Experts are in your layers: deepspeed.moe.layer.MoE takes `ep_size`.'] : []),
  ...(transfer === undefined ? [] : ['DeepSpeed decides when sends and receives block.']),
  ...(lengths === undefined ? [] : ['The lengths of microbatches follow from the data.']),
  ...(fill === undefined ? [] : ['The fill job has no setting.']),
];

const timesNote = 'Times, sizes, links and the memory of devices have no settings.';

const layersNote =
  'The layers are named and not written: put yours into a file with make_layers(names), loss(output, target) and make_data(replica, replicas), and name it behind --model.';

const modelNote =
  'The model is not written: put yours into a file with make_model(), loss(output, target) and make_data(replica, replicas), and name it behind --model.';

function programText(launch: Launch, json: string, notes: readonly string[]): string {
  const { plan, pipeline } = launch;
  const { mesh, rankOrder } = pipeline;
  const { devices, nodes, each } = worldOf(launch);
  const axes = [
    ...(rankOrder === 'tp_cp_pp_dp' ? ['data', 'pipe'] : ['pipe', 'data']),
    ...(mesh.tensor > 1 ? ['model'] : []),
  ];
  return `#!/usr/bin/env python3
"""A pipeline of DeepSpeed on ${count(devices, 'device', 'devices')}, read in ${deepspeed.read}, written by Pipewright.

    torchrun --nnodes ${nodes} --nproc-per-node ${each} ... SCRIPT --model FILE.py [--steps N]
    python SCRIPT --config                      prints the configuration as JSON

FILE.py has make_layers(names), which gives a LayerSpec or a module for each name, loss(output, target)
and make_data(replica, replicas), an iterator of (input, target) for each microbatch of a data rank.

What it does not have of the plan:

${notes.map((note) => `- ${pythonString(note).slice(1, -1)}`).join('\n')}
"""

import argparse
import copy
import functools
import importlib.util
import json

PIPELINE = ${pythonString(plan.name)}
RANKS = ${plan.devices.length}  # of a pipeline, with a stage each
DATA = ${mesh.data}
TENSOR = ${mesh.tensor}
AXES = [${axes.map((axis) => `"${axis}"`).join(', ')}]  # ranks count through the last one first

# Layers of each stage.
${layersText(plan.stages.map(({ layers }) => layers))}
CONFIG = """
${json}
"""


def marked(layer):
    """The first layer of a stage: what it was, in a class with another name. DeepSpeed cuts where it finds the name."""
    import torch
    from deepspeed.pipe import LayerSpec

    def start(kind):
        return type(f"StageStart{kind.__name__}", (kind,), {})

    if isinstance(layer, LayerSpec):
        layer = copy.copy(layer)
        layer.typename = start(layer.typename)
    elif isinstance(layer, torch.nn.Module):
        layer.__class__ = start(type(layer))
    else:
        called = layer
        layer = functools.wraps(called)(lambda *inputs: called(*inputs))
        layer.__name__ = f"StageStart{getattr(called, '__name__', '')}"
    return layer


def cut(layers):
    """Marks the first layer of each stage."""
    names = [name for stage in LAYERS for name in stage]
    if len(layers) != len(names):
        raise SystemExit(f"make_layers gave {len(layers)} layers, and the pipeline has {len(names)}.")
    first, found = 0, list(layers)
    for stage in LAYERS:
        found[first] = marked(found[first])
        first += len(stage)
    return found


${loadModel}

def main():
${parseOptions('Train a pipeline with DeepSpeed.', 'your make_layers, loss and make_data', 'layers')}    import deepspeed
    from deepspeed.pipe import PipelineModule
    from deepspeed.runtime.pipe.topology import ProcessTopology

    deepspeed.init_distributed()
    model = load_model(options.model)
    sizes = {"pipe": RANKS, "data": DATA, "model": TENSOR}
    module = PipelineModule(
        cut(model.make_layers([name for stage in LAYERS for name in stage])),
        topology=ProcessTopology(axes=AXES, dims=[sizes[axis] for axis in AXES]),
        loss_fn=model.loss,
        partition_method="type:StageStart",
    )
    parameters = [one for one in module.parameters() if one.requires_grad]
    if [stop - start for start, stop in zip(module.parts, module.parts[1:])] != [len(stage) for stage in LAYERS]:
        raise SystemExit(f"DeepSpeed cut the layers at {module.parts}: no other class may have StageStart in its name.")
    engine, *_ = deepspeed.initialize(model=module, model_parameters=parameters, config=json.loads(CONFIG))
    data = iter(model.make_data(engine.grid.get_data_parallel_rank(), DATA))
    for _ in range(options.steps):
        engine.train_batch(data_iter=data)


if __name__ == "__main__":
    main()
`;
}
