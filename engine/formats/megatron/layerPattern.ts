/** Reads which layers a flag means: `2`, or a list as Python writes it, such as `([0]*3+[1]*58)`. */

/** Of `--moe-layer-freq`, for each layer whether it has experts. */
export const expertLayers = (text: string, layers: number): readonly boolean[] | undefined =>
  flaggedLayers(text, layers, (layer, every) => layer % every === 0);

/**
 * For each layer whether it is meant; undefined if the text is no such list, or has another number of layers. `isMeant`: what a number
 * says of a layer, counted from 0.
 */
export function flaggedLayers(
  text: string,
  layers: number,
  isMeant: (layer: number, every: number) => boolean,
): readonly boolean[] | undefined {
  if (/^[1-9]\d{0,5}$/.test(text)) return Array.from({ length: layers }, (_, layer) => isMeant(layer, Number(text)));
  const tokens = text.match(/\d+|[^\s\d]/g) ?? [];
  let at = 0;
  let depth = 0;
  const sum = (): readonly boolean[] | undefined => {
    let all = product();
    while (all !== undefined && tokens[at] === '+') {
      at += 1;
      const more = product();
      all = more === undefined || all.length + more.length > layers ? undefined : [...all, ...more];
    }
    return all;
  };
  const product = (): readonly boolean[] | undefined => {
    const one = part();
    if (one === undefined || tokens[at] !== '*') return one;
    const times = Number(tokens[at + 1] ?? NaN);
    at += 2;
    if (!Number.isInteger(times) || one.length * times > layers) return undefined;
    return Array.from({ length: times }, () => one).flat();
  };
  const part = (): readonly boolean[] | undefined => {
    const open = tokens[at];
    at += 1;
    if (open === '[') {
      const flags: boolean[] = [];
      for (; tokens[at] === '0' || tokens[at] === '1'; at += tokens[at] === ',' ? 1 : 0) {
        flags.push(tokens[at] === '1');
        at += 1;
      }
      at += 1;
      return tokens[at - 1] === ']' ? flags : undefined;
    }
    depth += 1;
    const inner = open === '(' && depth < 20 ? sum() : undefined;
    depth -= 1;
    at += 1;
    return tokens[at - 1] === ')' ? inner : undefined;
  };
  const found = sum();
  return found?.length === layers && at === tokens.length ? found : undefined;
}
