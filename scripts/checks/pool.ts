import { runStep, type Result, type Step } from './step.ts';

/**
 * Runs steps, `width` at a time, each after those that it needs. One that needs a failed step fails without being run; one that
 * drives other programs has a second try once nothing else runs. `ended` hears of each try.
 */
export async function runAll(
  steps: readonly Step[],
  width: number,
  ended: (result: Result) => void,
): Promise<readonly Result[]> {
  const waiting = [...steps];
  const results = new Map<string, Result>();
  const settle = (result: Result): void => {
    results.set(result.step.name, result);
    ended(result);
  };
  const failedNeed = (step: Step) => step.needs?.find((name) => (results.get(name)?.failed ?? 0) > 0);
  const names = new Set(steps.map(({ name }) => name));
  const isReady = ({ needs = [] }: Step) => needs.every((name) => results.has(name) || !names.has(name));
  let wake: () => void = () => undefined;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const index = waiting.findIndex((step) => isReady(step));
      if (index < 0) {
        // Only another worker's step can make one ready.
        await new Promise<void>((resolve) => {
          const before = wake;
          wake = () => {
            before();
            resolve();
          };
        });
        continue;
      }
      const [step] = waiting.splice(index, 1);
      if (step === undefined) continue;
      const need = failedNeed(step);
      settle(
        need === undefined
          ? await runStep(step)
          : { step, passed: 0, failed: 1, seconds: 0, output: `Not run: "${need}" failed.\n` },
      );
      wake();
      wake = () => undefined;
    }
  }

  await Promise.all(Array.from({ length: width }, work));
  for (const { step, failed } of results.values())
    if (failed > 0 && step.drives === true && failedNeed(step) === undefined)
      settle({ ...(await runStep(step)), alone: true });
  return steps.flatMap((step) => results.get(step.name) ?? []);
}
