import { afterEach, describe, expect, it, vi } from 'vitest';
import * as fc from '../../support/property.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** How often a property runs, and the values that it sees. */
function seen(parameters?: fc.Parameters<[number]>): readonly number[] {
  const values: number[] = [];
  fc.assert(
    fc.property(fc.nat(), (value) => {
      values.push(value);
    }),
    parameters,
  );
  return values;
}

const failing = (): void => fc.assert(fc.property(fc.nat(), (value) => value < 40));

function messageOf(body: () => void): string {
  try {
    body();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'nothing was thrown';
}

describe('PIPEWRIGHT_RUNS', () => {
  it('multiplies the runs of every property', () => {
    vi.stubEnv('PIPEWRIGHT_RUNS', '');
    expect([seen().length, seen({ numRuns: 30 }).length]).toEqual([100, 30]);
    vi.stubEnv('PIPEWRIGHT_RUNS', '3');
    expect([seen().length, seen({ numRuns: 30 }).length]).toEqual([300, 90]);
  });

  it.each(['0.5', '0', '-1', 'many', 'Infinity'])('refuses %s', (runs) => {
    vi.stubEnv('PIPEWRIGHT_RUNS', runs);
    expect(() => seen()).toThrow(`PIPEWRIGHT_RUNS is "${runs}": give a number of at least 1, such as 10.`);
  });
});

describe('PIPEWRIGHT_SEED', () => {
  it('gives the same values again', () => {
    vi.stubEnv('PIPEWRIGHT_SEED', '-407930090');
    expect(seen()).toEqual(seen());
    expect(seen()).toEqual(seen({ seed: 1 }));
  });

  it('refuses what is no whole number', () => {
    vi.stubEnv('PIPEWRIGHT_SEED', '1.5');
    expect(() => seen()).toThrow('PIPEWRIGHT_SEED is "1.5": give a whole number, such as -407930090.');
  });
});

describe('a property that fails', () => {
  it('says its counterexample, its seed, and the command that finds it again', () => {
    vi.stubEnv('PIPEWRIGHT_RUNS', '10');
    const message = messageOf(failing);
    expect(message).toContain('Counterexample: [40]');
    const seed = /seed: (-?\d+)/.exec(message)?.[1] ?? 'none';
    expect(message).toContain(
      `Run it again with: PIPEWRIGHT_RUNS=10 PIPEWRIGHT_SEED=${seed} npx vitest run test/unit/scripts/property.test.ts`,
    );
    vi.stubEnv('PIPEWRIGHT_SEED', seed);
    expect(messageOf(failing)).toBe(message);
  });

  it('fails asynchronously too', async () => {
    const property = fc.asyncProperty(fc.nat(), async (value) => Promise.resolve(value < 40));
    await expect(fc.assert(property)).rejects.toThrow(/Run it again with: /);
  });

  it('keeps the error that was thrown as its cause', () => {
    const cause = new Error('the cause');
    const throwing = () =>
      fc.assert(
        fc.property(fc.nat(), () => {
          throw cause;
        }),
      );
    expect(throwing).toThrow(expect.objectContaining({ cause }));
  });
});
