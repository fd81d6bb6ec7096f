/** A configuration that a file changes line by line, as an object: `config.training.steps = 10`. */
import type { JsonMember, JsonValue } from '../json/value.ts';

type ObjectValue = JsonValue & { readonly kind: 'object' };

/** Fields that are assigned to `name`; deeper ones of a path that has a value are left out. */
export function objectOf(assigned: ReadonlyMap<string, JsonMember>, name: string): ObjectValue {
  const root = emptyObject();
  for (const [path, member] of assigned) {
    const [first, ...steps] = path.split('.');
    const last = steps.pop();
    if (first !== name || last === undefined) continue;
    let at: ReturnType<typeof emptyObject> | undefined = root;
    for (const step of steps) {
      const next: JsonMember | undefined = at?.members.get(step);
      if (next === undefined) at?.members.set(step, { key: member.key, value: emptyObject() });
      const value: JsonValue | undefined = at?.members.get(step)?.value;
      at = value?.kind === 'object' ? (value as ReturnType<typeof emptyObject>) : undefined;
    }
    at?.members.set(last, member);
  }
  return root;
}

const emptyObject = () => ({ kind: 'object' as const, members: new Map<string, JsonMember>(), start: 0, end: 1 });
