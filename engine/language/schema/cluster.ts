import { amountOf, key, whole, type BlockSchema } from './types.ts';

const link = key(
  'link',
  'link = 25GB/s + 5us',
  { kind: 'link' },
  'Bandwidth + latency, full duplex. `half(…)`: both directions are one resource. `shared(…)`: all its pairs queue for one resource. `link a -- b = …` is a link of named devices or switches; a transfer takes the best route.',
  {
    default: { otherwise: 'none: devices without a link have no route to each other' },
    forms: ['value', 'ends'],
    repeatable: true,
  },
);
const gpu = key(
  'gpu',
  'gpu[8] = v100',
  { kind: 'name', of: 'device' },
  '`gpu[n]` adds n devices of a kind, `gpu[a..b]` adds devices with these numbers.',
  { default: { otherwise: 'none: a cluster has `gpu` or `node`' }, forms: ['indexed'], repeatable: true },
);
const node = key(
  'node',
  'node[4] {\n  gpu[8] = v100\n  link = 150GB/s + 2us\n}',
  { kind: 'any' },
  '`node[n] { … }` adds n equal nodes with separate devices.',
  {
    default: { otherwise: 'none: a cluster has `gpu` or `node`' },
    forms: ['indexed-block'],
    repeatable: true,
    block: 'node',
  },
);

const hub = key(
  'switch',
  'switch pcie {\n  ports = gpu[0..3]\n  link = 24GB/s + 2us\n}',
  { kind: 'any' },
  'A switch, host bridge or network card: a name that links may end at. Transfers that meet on a link of a longer route share it.',
  { default: { otherwise: 'none' }, forms: ['block'], repeatable: true, block: 'switch' },
);
export const switchBlock: BlockSchema = {
  name: 'switch',
  doc: 'A switch, host bridge or network card: links may end at it, as at devices.',
  keys: [
    key('ports', 'ports = gpu[0..3]', { kind: 'devices' }, 'Devices and other switches that are linked to it.', {
      default: { otherwise: 'none' },
      list: true,
    }),
    key(
      'link',
      'link = 24GB/s + 2us',
      { kind: 'link' },
      'The link of each port. `shared(…)`: one link, which all ports share.',
      { default: { otherwise: 'none: its ports need a link' } },
    ),
  ],
};

const hostKeys = [
  key(
    'hosts',
    'hosts = 18',
    whole(1),
    'Machines that a node, or a cluster without nodes, consists of, each with as many of its devices. Launch commands start the processes of one machine.',
    { default: '1' },
  ),
  key(
    'host_memory',
    'host_memory = 2TB',
    amountOf('bytes', { above: 0 }),
    'Memory of the host that its devices share: of a node, or of a cluster without nodes. What is offloaded must fit into it.',
    { default: { otherwise: 'no limit' } },
  ),
  key(
    'host_bandwidth',
    'host_bandwidth = 200GB/s',
    amountOf('bandwidth', { above: 0 }),
    "Bytes per second that the optimizer's step reaches in the memory of the host, for all of its devices at once. Required if an optimizer is offloaded.",
    { default: { otherwise: 'none: an offloaded optimizer needs it' } },
  ),
];

export const cluster: BlockSchema = {
  name: 'cluster',
  doc: 'Devices and the links between them.',
  keys: [gpu, node, hub, link, ...hostKeys],
};
export const nodeBlock: BlockSchema = {
  name: 'node',
  doc: 'A node: devices with links inside the node.',
  keys: [gpu, node, hub, link, ...hostKeys],
};
