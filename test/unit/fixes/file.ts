export interface PipeParts {
  readonly layers?: string;
  readonly memory?: string;
  readonly link?: string;
  readonly pipeline: string;
  readonly more?: string;
}

/** A file with one model of eight layers on four devices; `pipeline` holds the keys under test. */
export const pipe = ({ layers, memory = '16GiB', link = '25GB/s + 5us', pipeline, more = '' }: PipeParts): string => `
model toy {
  ${layers ?? 'layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB  output = 16MiB }'}
}
device gpu { memory = ${memory} }
cluster box {
  gpu[4] = gpu
  link   = ${link}
}
pipeline train {
  model   = toy
  devices = box
${pipeline}
}
${more}`;
