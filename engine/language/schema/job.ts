import { whole, key, type BlockSchema, required } from './types.ts';

export const job: BlockSchema = {
  name: 'job',
  doc: 'Several pipelines (virtual workers) that train one model through parameter servers.',
  keys: [
    key(
      'workers',
      'workers = [first, second]',
      { kind: 'name', of: 'pipeline' },
      'The pipelines. Each has separate devices and an asynchronous schedule, and all have equally many minibatches in flight.',
      { list: true, default: required },
    ),
    key(
      'sync',
      'sync = wsp(distance = 0)',
      { kind: 'workerSync' },
      'When a worker waits for the others. `wsp(distance = D)`: it pushes its updates wave by wave, and leads the slowest worker by at most D waves. `free`: it waits for none.',
      { see: ['schedules/hetpipe.md#servers-without-locks'], default: required },
    ),
    key('servers', 'servers = 2', whole(1), 'Parameter servers, each with an equal share of the weights.', {
      default: '1',
    }),
    key(
      'link',
      'link = 7GB/s + 5us',
      { kind: 'link' },
      'Link of each server. Without one, pushes and pulls take no time.',
      {
        default: {
          otherwise:
            'the slowest `link` between nodes of the workers’ clusters; without one, pushes and pulls take no time',
        },
      },
    ),
    key('waves', 'waves = 32', whole(2), 'Simulated waves of the slowest worker. Figures describe the last half.', {
      default: '32',
    }),
  ],
};
