/** Names that a `.pipe` file can write, one for each of the given ones: other characters become `_`, and a number tells equal ones apart. */
export function validNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = name.replace(/\W+/g, '_');
    const base = /^[A-Za-z_]/.test(plain) ? plain : `layer_${plain}`;
    let made = base;
    for (let number = 2; taken.has(made); number += 1) made = `${base}_${number}`;
    taken.add(made);
    return made;
  });
}
