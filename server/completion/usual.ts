/** What most plans of these years name, which is offered first. The rest follows in the order of its file or page. */
export const usualImports: readonly string[] = [
  ...['h100', 'h200', 'b200', 'gb200', 'a100_80', 'mi300x'],
  ...['dgx_h100', 'dgx_b200', 'gb200_nvl72', 'dgx_a100'],
  ...['llama3_8b', 'llama3_70b', 'llama3_1_405b', 'qwen3_32b', 'deepseek_v3', 'mixtral_8x7b'],
];

const usualFunctions: readonly string[] = ['adam', 'adamw', 'adam_mixed', 'megatron_bf16', 'megatron_fp8', 'adam_8bit'];

/** Things in order of use. */
export function byUse<Named>(
  found: readonly Named[],
  nameOf: (each: Named) => string,
  usual = usualFunctions,
): readonly Named[] {
  const rank = (each: Named): number => {
    const at = usual.indexOf(nameOf(each));
    return at < 0 ? usual.length : at;
  };
  return found.toSorted((a, b) => rank(a) - rank(b));
}
