import { whole, key, type BlockSchema } from './types.ts';

export const job: BlockSchema = {
  name: 'job',
  doc: 'Several pipelines (virtual workers) that train one model together through parameter servers.',
  keys: [
    key(
      'workers',
      'workers = [first, second]',
      { kind: 'name', of: 'pipeline' },
      'The pipelines, each on devices of its own and under an asynchronous schedule with as many minibatches in flight as the others.',
      { several: true, required: true },
    ),
    key(
      'sync',
      'sync = wsp(distance = 0)',
      { kind: 'workerSync' },
      'When a worker waits for the others. `wsp(distance = D)`: it pushes its updates wave by wave, and leads the slowest worker by at most D waves.',
      { required: true },
    ),
    key(
      'servers',
      'servers = 2',
      whole(1),
      'Parameter servers, each with an equal share of the weights; 1 unless said.',
    ),
    key(
      'link',
      'link = 7GB/s + 5us',
      { kind: 'link' },
      'Link of each server. Unless said: the slowest `link` between nodes of the workers’ clusters; without one, pushes and pulls take no time.',
    ),
    key(
      'waves',
      'waves = 32',
      whole(2),
      'Waves of the slowest worker that are simulated; 32 unless said. Figures are those of the last half.',
    ),
  ],
};
