/** Devices of a cluster as a file writes them: `gpu[0..1]`, `[gpu[0..1], gpu[4]]`. */
export function deviceText(devices: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const device of devices) {
    const last = runs.at(-1);
    if (last?.[1] === device - 1) last[1] = device;
    else runs.push([device, device]);
  }
  const texts = runs.map(([first, last]) => (first === last ? `gpu[${first}]` : `gpu[${first}..${last}]`));
  return texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
}
