/**
 * Who keeps what each device evicts, if the file puts stages on other devices than the policy does. `partners` and `placement`
 * are the policy's; `actual` is the device of each stage in the file. If several of the policy's devices are one, it takes the
 * partner of the first stage there that has one. A device that would be its own partner keeps what it has.
 */
export function partnersOn(
  partners: ArrayLike<number>,
  placement: ArrayLike<number>,
  actual: ArrayLike<number>,
  devices: number,
): Int32Array {
  const found = new Int32Array(devices).fill(-1);
  const firstStageOf = (device: number): number => Array.from(placement).indexOf(device);
  for (let stage = 0; stage < placement.length; stage += 1) {
    const partner = partners[placement[stage]];
    const kept = partner < 0 ? -1 : firstStageOf(partner);
    if (kept >= 0 && found[actual[stage]] < 0) found[actual[stage]] = actual[kept];
  }
  return found;
}
