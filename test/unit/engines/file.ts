import { resolveText } from '../../support/resolve.ts';

export interface Written {
  /** Keys of the pipeline, without those of the frame. */
  readonly keys?: string;
  readonly schedule?: string;
  readonly microbatches?: number;
  readonly stages?: string;
  readonly optimizer?: string;
  readonly model?: string;
  readonly sequence?: number;
  /** Declarations in front. */
  readonly before?: string;
}

/** A dense model with shapes, on as many of 64 devices as the pipeline asks for. */
export const fileOf = (engine: string, written: Written = {}): string => {
  const {
    keys = '',
    schedule = '1f1b',
    microbatches = 8,
    stages = 'balance(4)',
    optimizer,
    model,
    sequence = 4096,
    before = '',
  } = written;
  const cut = stages.startsWith('stage ') ? stages : `stages = ${stages}`;
  return `device card { memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s  efficiency = 50%  host = 50GB/s }
cluster box { gpu[64] = card  link = 200GB/s + 3us }
model net { sequence = ${sequence}  micro_batch = 1  ${model ?? 'layer block[32] = transformer(hidden = 4096, heads = 32, ffn = 16384)'} }
${before}
pipeline train {
  model = net
  devices = box
  microbatches = ${microbatches}
  ${cut}
  schedule = ${schedule}
  ${optimizer === undefined ? 'optimizer = none' : `optimizer = ${optimizer}`}
  ${keys}
  engine = ${engine}
}
`;
};

/** Two stages, of which the first recomputes. */
export const halves = 'stage a { layers = block[0..15]  recompute = full }  stage b { layers = block[16..31] }';

export const experts =
  'layer block[32] = transformer(hidden = 4096, heads = 32, bias = false, experts = 12, experts_per_token = 2, expert_ffn = 2048)';

/** What an engine refuses of a file, as `key: sentence`; throws where the file has an error. */
export function refused(engine: string, written: Written = {}): readonly string[] {
  const { findings } = resolveText(fileOf(engine, written));
  const error = findings.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new Error(error.message);
  return findings.flatMap(({ code, hint, message }) =>
    code === 'engine/unsupported' && hint?.kind === 'engine' ? [`${hint.key}: ${message}`] : [],
  );
}

/** What it says that the engine does unasked. */
export const unasked = (engine: string, written: Written = {}): readonly string[] =>
  resolveText(fileOf(engine, written)).findings.flatMap(({ code, message }) =>
    code === 'engine/defaults' ? [message] : [],
  );
