const extensions = {
  svg: '.svg',
  png: '.png',
  film: '.film.svg',
  html: '.html',
  trace: '.trace.json',
  markdown: '.md',
  'torch-csv': '.torch.csv',
  'torch-script': '.py',
  torchtitan: '.torchtitan.py',
  deepspeed: '.deepspeed.py',
  megatron: '.sh',
  csv: '.csv',
  json: '.json',
} as const;

/** File name that an export is offered under: `quickstart-train.svg`. Characters that file systems refuse become hyphens. */
export function exportName(path: string, pipeline: string, format: keyof typeof extensions): string {
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.pipe$/, '');
  const name = `${stem}-${pipeline}`.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '');
  return `${name === '' ? 'timeline' : name.slice(0, 120)}${extensions[format]}`;
}
