/** An argument that an engine lists at the beginning of its log, with dots before the value: `micro_batch_size ........ 1`. */
export function argument(text: string, name: string): number | undefined {
  const digits = new RegExp(`^.{0,120}\\b${name} \\.+ (\\d{1,9})\\s*$`, 'm').exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
