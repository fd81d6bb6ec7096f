/** What `plan` takes. */
import { objectives } from '../../engine/language/schema/search.ts';
import type { Command } from '../command.ts';
import { engineOption } from '../engineOption.ts';
import { rootOption } from '../project.ts';
import { summaryOption } from '../summary/giveSummary.ts';
import { jobKinds } from './writeJob.ts';

export const planSpec: Command['spec'] = {
  name: 'plan',
  operands: '[FILE]',
  summary:
    'Search for the settings of a pipeline that fit the devices and are fastest: ranks, microbatches, recomputation, schedules.',
  options: [
    {
      name: 'model',
      value: 'MODEL',
      doc: 'Search without a file: a model of std:models, or a file that import reads, such as config.json. Needs --on and --batch.',
    },
    { name: 'on', value: 'CLUSTER', doc: 'With --model: a cluster of std:clusters, such as dgx_h100.' },
    {
      name: 'nodes',
      value: 'COUNT',
      doc: 'With --model: nodes of the cluster. Of racks of 72 GPUs, 64 train; 4x72 takes all of four racks.',
    },
    {
      name: 'batch',
      value: 'SIZE',
      doc: 'With --model: samples of an iteration, such as 512, or tokens, such as 4Mtok.',
    },
    {
      name: 'sequence',
      value: 'TOKENS',
      doc: 'With --model: tokens of a sample, such as 8192 or 8k, which is the same. Default: what the model says.',
    },
    {
      name: 'over',
      value: 'LIST',
      doc: 'Keys to search and their values: --over "tensor = [1, 2, 4, 8], pipeline = 1..16, recompute = [none, full]". A key replaces the same key of the search block in the file. Other keys of the block are still searched; with --model, all other keys are.',
    },
    {
      name: 'limit',
      value: 'CONDITION',
      repeated: true,
      doc: 'What every row must meet, in addition to the limits of the search block: --limit "peak_memory < 75GiB".',
    },
    { name: 'minimise', value: 'FIGURE', choices: objectives, doc: 'iteration (the default) or peak_memory.' },
    { name: 'pipeline', value: 'NAME', doc: 'The pipeline to search, if the file has more than one.' },
    { name: 'set', value: 'NAME=VALUE', repeated: true, doc: 'Give a param another value: --set microbatches=16.' },
    { name: 'time', value: 'TIME', doc: 'Stop after this time, such as 30s, and show what was found.' },
    { name: 'threads', value: 'COUNT', doc: 'Threads to use. Default: all cores.' },
    {
      name: 'format',
      value: 'text|json|csv',
      choices: ['text', 'json', 'csv'],
      doc: 'text (the default), json (all rows that were simulated), or csv (one line per row).',
    },
    {
      name: 'details',
      doc: 'text: also what became of each row, a chart of times and memory, and which values were not searched.',
    },
    {
      name: 'write',
      value: 'ROW',
      doc: 'Write the file with the values of a row set: best, or its number and fingerprint as the table has them, such as 172:e8fa92. A number alone writes the row that has it now.',
    },
    {
      name: 'output',
      value: 'FILE',
      doc: 'Where to write. FILE.pipe gets the pipeline of the best row, and the answer is printed. Default: standard output.',
    },
    {
      name: 'shard',
      value: 'PART/PARTS',
      doc: 'Search one part of the rows, such as 3/64. Use --format json and merge the parts.',
    },
    {
      name: 'rows',
      value: 'FOLDER',
      doc: 'Keep each row in this folder as soon as it is decided. Parts that have the same folder share what they find.',
    },
    { name: 'resume', doc: 'Go on with the rows that are in the folder of --rows, if there are any.' },
    {
      name: 'jobs',
      value: jobKinds.join('|'),
      choices: jobKinds,
      doc: 'Search nothing, and write a job that searches in parts on many machines: an array of Slurm, a program for Ray, or rules of make.',
    },
    { name: 'parts', value: 'COUNT', doc: 'Parts of the job that --jobs writes. Default: 64.' },
    {
      name: 'merge',
      doc: 'Read the parts (a folder of --rows, or files with --format json) and show the front of all, also before they are complete.',
    },
    summaryOption,
    engineOption,
    rootOption,
  ],
  notes: [
    'Every row trains the same samples on all devices: data ranks are what tensor, context and pipeline ranks leave of the devices, and microbatches follow from the batch.',
    'Ctrl+C and SIGTERM stop the search and show what was found. Exit status 1 if no row fits.',
  ],
};
