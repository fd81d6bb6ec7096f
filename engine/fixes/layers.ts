/** Layers of a stage as a file writes them: `block[0]`, `block[1]`, `head` as `block[0..1], head`. */
export function writtenLayers(layers: readonly string[]): string {
  const out: string[] = [];
  for (let at = 0; at < layers.length;) {
    const element = elementOf(layers[at]);
    let end = at + 1;
    if (element !== undefined) {
      while (end < layers.length && follows(layers[end], element.name, element.index + end - at)) end += 1;
    }
    const last = element === undefined ? 0 : element.index + end - at - 1;
    out.push(element === undefined || end === at + 1 ? layers[at] : `${element.name}[${element.index}..${last}]`);
    at = end;
  }
  return out.join(', ');
}

function elementOf(layer: string): { readonly name: string; readonly index: number } | undefined {
  const found = /^(.*)\[(\d+)\]$/.exec(layer);
  return found === null ? undefined : { name: found[1], index: Number(found[2]) };
}

const follows = (layer: string, name: string, index: number): boolean => layer === `${name}[${index}]`;
