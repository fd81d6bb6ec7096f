/** How many times as often as usual properties run: `PIPEWRIGHT_RUNS`, at least 1, since some tests count the cases that they met. */
export function runMultiplier(): number {
  const text = process.env['PIPEWRIGHT_RUNS'];
  if (text === undefined || text === '') return 1;
  const runs = Number(text);
  if (!(runs >= 1 && Number.isFinite(runs)))
    throw new Error(`PIPEWRIGHT_RUNS is "${text}": give a number of at least 1, such as 10.`);
  return runs;
}
