/** `plan --model M --on C --nodes N --batch B --sequence S`: the file that such a call stands for. */
import { readConfiguration } from '../../engine/formats/huggingFace/read.ts';
import { importText } from '../../engine/formats/importText.ts';
import { modelOfRepository } from '../../engine/formats/recipe/models.ts';
import { unknownSource } from '../../engine/formats/recipe/placeholders.ts';
import { list } from '../../engine/basics/quantities.ts';
import { nearest } from '../../engine/basics/spelling.ts';
import { findUnit } from '../../engine/language/units.ts';
import { plainFile, type PlainFile, type PlainRequest } from '../../engine/sweep/plainFile.ts';
import {
  clusterImport,
  modelImport,
  nodeGpus,
  nodesParam,
  standardParts,
  spareGpus,
} from '../../engine/language/standardParts.ts';
import type { EngineHost, EngineOptions } from '../../engine/basics/host.ts';
import { parse } from '../../grammar/index.ts';
import type { Arguments } from '../arguments.ts';
import { shownPath } from '../host.ts';
import type { Io } from '../io.ts';
import { readOperand } from '../readOperand.ts';

/** Options that stand for a file. */
export const madeOptions = ['model', 'on', 'nodes', 'batch', 'sequence'] as const;

export const isMade = (args: Arguments): boolean => madeOptions.some((option) => args.has(option));

type Problem = { readonly problem: string };

const example = 'pipewright plan --model llama3_1_405b --on dgx_h100 --nodes 128 --batch 4Mtok';

export function madeFile(
  args: Arguments,
  io: Io,
  file: { readonly uri: string; readonly host: EngineHost; readonly options: EngineOptions },
): PlainFile | Problem {
  const missing = (['model', 'on', 'batch'] as const).filter((option) => !args.has(option));
  if (missing.length > 0)
    return {
      problem: `${list(missing.map((option) => `--${option}`))} ${missing.length === 1 ? 'is' : 'are'} missing. Example: ${example}`,
    };
  const model = modelOf(args.value('model') ?? '', io);
  if ('problem' in model) return model;
  const cluster = clusterOf(args.value('on') ?? '', args.value('nodes'));
  if ('problem' in cluster) return cluster;
  const batch = batchOf(args.value('batch') ?? '');
  if ('problem' in batch) return batch;
  const asked = args.value('sequence');
  const sequence = asked === undefined ? undefined : tokensOf(asked);
  if (asked !== undefined && sequence === undefined)
    return {
      problem: `--sequence takes the tokens of a sample, such as 8192 or 8k, which is the same, not "${asked}".`,
    };
  const engine = args.value('engine');
  const made = plainFile(
    {
      declarations: `${cluster.text}${model.text}`,
      model: model.name,
      cluster: cluster.name,
      ...(sequence === undefined ? {} : { sequence }),
      ...(model.window === undefined ? {} : { window: model.window }),
      ...(engine === undefined || engine === 'any' ? {} : { engine }),
      batch,
    },
    file,
  );
  return 'problem' in made ? made : { ...made, remarks: [...cluster.remarks, ...model.remarks, ...made.remarks] };
}

const namesOf = (kind: 'model' | 'cluster'): readonly string[] => standardParts(kind).map(({ name }) => name);

interface Declared {
  readonly name: string;
  readonly text: string;
  readonly remarks: readonly string[];
  /** The most tokens that its configuration allows. */
  readonly window?: number;
}

/** The model that a name means, as Hugging Face writes it (`Qwen/Qwen2.5-72B`) or nearly as the library does. */
function modelMeant(name: string, known: readonly string[]): string | undefined {
  const last = name.split('/').at(-1) ?? '';
  const plain = last.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '_');
  const published = modelOfRepository(name);
  if (published !== undefined || known.includes(plain)) return published ?? plain;
  return /\.\w*[a-z]\w*$/iu.test(last) && last !== name.replaceAll(/[/\\]/gu, '') ? undefined : nearest(plain, known);
}

/** A model of the standard library, or of a file that `import` reads. */
function modelOf(name: string, io: Io): Declared | Problem {
  const known = namesOf('model');
  if (known.includes(name)) return { name, text: modelImport(name), remarks: [] };
  const read = readOperand(name, io);
  if ('problem' in read) {
    const near = modelMeant(name, known);
    const isPath = /[./\\]/u.test(name);
    return {
      problem:
        isPath && near === undefined
          ? read.problem
          : `--model ${name}: std:models has no such model, and there is no such file.${near === undefined ? ` It has ${list(known)}.` : ` Did you mean "${near}"?`}`,
    };
  }
  const imported = importText(read.text);
  if (imported === undefined || 'faults' in imported) {
    const fault = imported === undefined ? undefined : imported.faults[0];
    const choices = imported === undefined ? undefined : imported.choices;
    if (choices !== undefined)
      return {
        problem: `--model ${shownPath(name)} has several configurations: ${list(choices)}. Import one and plan that file: pipewright import ${shownPath(name)} --config ${choices[0]} --output plan.pipe.`,
      };
    return {
      problem:
        `--model ${shownPath(name)}${fault === undefined ? ': the format of this file is not known. Name a config.json, a Megatron-LM script, or another file that import reads' : ` cannot be read: ${fault.message}`}.`.replace(
          /\.\.$/u,
          '.',
        ),
    };
  }
  if (imported.pipe.includes(` = ${unknownSource}\n`))
    return {
      problem: `--model ${shownPath(name)} does not say which model it trains, or std:models does not have it. Name the config.json of the model: --model config.json.`,
    };
  const declared = declaredIn(imported.pipe, imported.remarks, shownPath(name));
  if ('problem' in declared) return declared;
  const configuration = readConfiguration(read.text);
  const window = 'faults' in configuration ? undefined : configuration.positions;
  return window === undefined ? declared : { ...declared, window };
}

/** The model of an imported file, without its cluster and its pipelines. */
function declaredIn(text: string, remarks: readonly string[], name: string): Declared | Problem {
  const { declarations } = parse(text);
  const models = declarations.filter((each) => each.kind === 'block' && each.keyword.text === 'model');
  const [model] = models;
  if (model?.kind !== 'block' || model.name === undefined)
    return {
      problem: `--model ${name} does not describe a model. Name a config.json, a Megatron-LM script, or another file with a model.`,
    };
  const kept = declarations.filter(
    (each) =>
      models.includes(each) ||
      each.kind === 'param' ||
      each.kind === 'let' ||
      (each.kind === 'import' && each.path?.value === 'std:models'),
  );
  return {
    name: model.name.text,
    text: `\n${kept.map(({ start, end }) => `${text.slice(start, end)}\n`).join('\n')}`,
    remarks: remarks.map((remark) => `${name}: ${remark}`),
  };
}

/** A cluster of the standard library with this number of nodes. */
function clusterOf(name: string, nodes: string | undefined): Declared | Problem {
  const known = namesOf('cluster');
  if (!known.includes(name)) {
    const near = nearest(name, known);
    return {
      problem: `--on ${name}: std:clusters has no such cluster.${near === undefined ? ` It has ${list(known)}.` : ` Did you mean "${near}"?`}`,
    };
  }
  const param = nodesParam(name);
  if (param === undefined && nodes !== undefined)
    return { problem: `--nodes ${nodes}: the number of nodes of ${name} is fixed. Leave the option out.` };
  if (param !== undefined && nodes === undefined)
    return { problem: `--nodes is missing: how many nodes of ${name} are there? For example --nodes 16.` };
  if (nodes === undefined) return { name, text: clusterImport(name, undefined), remarks: [] };
  const each = nodeGpus(name);
  const [, number, of] = /^([1-9]\d{0,3})(?:x([1-9]\d{0,3}))?$/u.exec(nodes) ?? [];
  if (number === undefined)
    return {
      problem: `--nodes takes a whole number of at least 1, such as 16${each === undefined ? '' : `, or racks and the GPUs of each that train, such as 4x${each.all}`}, not "${nodes}".`,
    };
  const gpus = of === undefined ? undefined : Number(of);
  if (gpus !== undefined && each === undefined)
    return { problem: `--nodes ${nodes}: the number of GPUs of a node of ${name} is fixed. Leave out "x${of}".` };
  if (gpus !== undefined && each !== undefined && (gpus > each.all || gpus % 4 !== 0))
    return {
      problem: `--nodes ${nodes}: a rack of ${name} has ${each.all} GPUs, four on each tray. Name 4, 8, … or ${each.all} of them.`,
    };
  const idle = spareGpus(name, gpus);
  const all =
    gpus === undefined && each !== undefined ? ` To train on all of them: --nodes ${number}x${each.all}.` : '';
  return {
    name,
    text: clusterImport(name, Number(number), gpus),
    remarks: idle === undefined ? [] : [`${idle}${all}`],
  };
}

/** `8192`, or `8k`: in the names of context windows k is 1,024. */
function tokensOf(text: string): number | undefined {
  const [, digits, kilo] = /^\s*([1-9]\d{0,8})\s*(k?)\s*$/iu.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (kilo === '' ? 1 : 1024);
}

const samples = new Set(['', 'sample', 'samples', 'seq', 'sequence', 'sequences']);

/** `512`, `512 samples`, `4Mtok`. */
function batchOf(text: string): PlainRequest['batch'] | Problem {
  const [, digits, word = ''] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/u.exec(text) ?? [];
  const number = Number(digits);
  if (digits !== undefined && samples.has(word) && Number.isInteger(number) && number > 0) return { samples: number };
  const unit = findUnit(word === 'tokens' || word === 'token' ? 'tok' : word);
  if (digits !== undefined && unit?.dimension === 'tokens' && number > 0) return { tokens: number * unit.scale };
  return {
    problem: `--batch takes the samples of an iteration, such as 512, or its tokens, such as 4Mtok, not "${text}".`,
  };
}
