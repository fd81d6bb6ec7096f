import * as fc from '../../support/property.ts';
import { describe, expect, it, test } from 'vitest';
import { isConfiguration, modelTypes, readConfiguration } from '../../../engine/formats/huggingFace/read.ts';
import { pipeOfConfiguration } from '../../../engine/formats/huggingFace/toPipe.ts';
import { readJson } from '../../../engine/formats/json/read.ts';
import type { JsonValue } from '../../../engine/formats/json/value.ts';
import { publishedModels } from '../../../engine/formats/huggingFace/publishedModels.ts';
import { models } from '../../../engine/std/models.ts';
import { dataFile } from '../support/data.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const plain = (value: JsonValue): unknown => {
  switch (value.kind) {
    case 'null':
      return null;
    case 'array':
      return value.items.map(plain);
    case 'object':
      return Object.fromEntries([...value.members].map(([name, { value: one }]) => [name, plain(one)]));
    default:
      return value.value;
  }
};

describe('JSON with places', () => {
  test('reads what JSON.parse reads, and refuses what it refuses', () => {
    const read = (text: string) => {
      const json = readJson(text);
      return 'fault' in json ? 'refused' : plain(json);
    };
    fc.assert(
      fc.property(
        fc.json({ noUnicodeString: false }),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', '0', '\\'),
        (text, at, by) => {
          expect(read(text)).toEqual(JSON.parse(text));
          // The same text with a character replaced; keys twice are ours to refuse.
          const place = at % text.length;
          const damaged = text.slice(0, place) + by + text.slice(place + 1);
          let reference: unknown = 'refused';
          try {
            reference = JSON.parse(damaged);
          } catch {
            // It stays refused.
          }
          const ours = readJson(damaged);
          if ('fault' in ours && ours.fault.message.includes('second time')) return;
          expect('fault' in ours ? 'refused' : plain(ours)).toEqual(reference);
        },
      ),
    );
  });
  test('places are those of the text', () => {
    const text = '{ "a": [1, {"b": "cd"}] }';
    const json = readJson(text);
    const a = 'kind' in json && json.kind === 'object' ? json.members.get('a') : undefined;
    expect(a === undefined ? '' : text.slice(a.key.start, a.key.end)).toBe('"a"');
    expect(a === undefined ? '' : text.slice(a.value.start, a.value.end)).toBe('[1, {"b": "cd"}]');
  });
  test('deep nesting is refused, not run into', () => {
    expect(readJson('['.repeat(100_000))).toMatchObject({ fault: { message: expect.stringContaining('nested') } });
  });
});

const llama = {
  ...{ model_type: 'llama', hidden_size: 64, num_hidden_layers: 4, num_attention_heads: 8, num_key_value_heads: 2 },
  ...{ intermediate_size: 128, vocab_size: 100 },
};
const layersOf = (config: object) => {
  const read = readConfiguration(JSON.stringify(config));
  if ('faults' in read) throw new Error(read.faults.map((fault) => fault.message).join('\n'));
  return read.layers;
};

describe('families', () => {
  test('biases of Qwen 2 need no field, those of Llama do', () => {
    expect(layersOf({ ...llama, model_type: 'qwen2' })[1].args).toMatchObject({ bias: false, qkv_bias: true });
    expect(layersOf(llama)[1].args).not.toHaveProperty('qkv_bias');
    expect(layersOf({ ...llama, attention_bias: true })[1].args).toMatchObject({ qkv_bias: true, out_bias: true });
    expect(layersOf({ ...llama, mlp_bias: true })[1].args).toMatchObject({
      bias: true,
      qkv_bias: false,
      out_bias: false,
    });
  });
  test('a window counts for Mistral, and for Qwen only where it is used', () => {
    expect(layersOf({ ...llama, model_type: 'mistral', sliding_window: 16 })[1].args).toMatchObject({ window: 16 });
    const qwen = { ...llama, model_type: 'qwen2', sliding_window: 16, max_window_layers: 3 };
    expect(layersOf({ ...qwen, use_sliding_window: false })).toHaveLength(3);
    expect(layersOf({ ...qwen, use_sliding_window: true }).map(({ name, count }) => [name, count])).toEqual([
      ['embed', undefined],
      ['block', 3],
      ['windowed', 1],
      ['head', undefined],
    ]);
  });
  test('dense layers among experts: steps, exceptions and first layers', () => {
    const moe = {
      ...llama,
      model_type: 'qwen3_moe',
      num_experts: 4,
      num_experts_per_tok: 2,
      moe_intermediate_size: 32,
    };
    const names = (config: object) => layersOf(config).map(({ name, count }) => `${name} ${count ?? ''}`.trim());
    expect(names(moe)).toEqual(['embed', 'moe 4', 'head']);
    expect(names({ ...moe, decoder_sparse_step: 2 })).toEqual([
      'embed',
      'dense 1',
      'moe 1',
      'dense_2 1',
      'moe_2 1',
      'head',
    ]);
    expect(names({ ...moe, mlp_only_layers: [0, 3] })).toEqual(['embed', 'dense 1', 'moe 2', 'dense_2 1', 'head']);
  });
  test('either name of a family will do, and the type before the class', () => {
    const deepseek = publishedModels.find(({ name }) => name === 'deepseek_v3')?.config ?? {};
    const { model_type: _, ...unnamed } = deepseek;
    const same = layersOf(deepseek);
    expect(layersOf({ ...deepseek, model_type: 'kimi_k2' })).toEqual(same);
    expect(layersOf({ ...unnamed, architectures: ['DeepseekV3ForCausalLM'] })).toEqual(same);
    expect(layersOf({ ...llama, architectures: ['DeepseekV3ForCausalLM'] })).toEqual(layersOf(llama));
  });
  test('the number format of the weights', () => {
    const precision = (config: object) => {
      const read = readConfiguration(JSON.stringify({ ...llama, ...config }));
      return 'faults' in read ? read.faults[0].message : read.precision;
    };
    expect(precision({ torch_dtype: 'float16' })).toBe('fp16');
    expect(precision({ dtype: 'float32', torch_dtype: 'float16' })).toBe('fp32');
    expect(precision({})).toBeUndefined();
    expect(precision({ dtype: 'int3' })).toBe('"dtype" must be one of float32, float16, bfloat16.');
  });
});

describe('what no figure needs', () => {
  const read = (config: object) => {
    const found = readConfiguration(JSON.stringify({ ...llama, ...config }));
    if ('faults' in found) throw new Error(found.faults[0].message);
    return found;
  };
  const scaling = { factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 };
  const other =
    'Rotary positions are scaled by another method than in Llama 3.1: no key says that, and no export writes it.';
  test.for<[object, object, string?]>([
    [{}, {}],
    [
      { rope_theta: 500000, rms_norm_eps: 1e-6 },
      { rotaryBase: 500000, normEpsilon: 1e-6 },
    ],
    [{ layer_norm_epsilon: 1e-5 }, { normEpsilon: 1e-5 }],
    [{ rotary_emb_base: 10000 }, { rotaryBase: 10000 }],
    [{ partial_rotary_factor: 0.5 }, { rotaryPercent: 0.5 }],
    [{ rotary_pct: 0.25 }, { rotaryPercent: 0.25 }],
    [{ rope_parameters: { rope_type: 'default', partial_rotary_factor: 0.25 } }, { rotaryPercent: 0.25 }],
    [{ partial_rotary_factor: 1 }, {}],
    [{ rope_parameters: { rope_type: 'default', rope_theta: 1e6 } }, { rotaryBase: 1e6 }],
    [{ rope_parameters: { rope_type: 'llama3', rope_theta: 5e5, ...scaling } }, { rotaryBase: 5e5, ropeScaling: 8 }],
    [
      { rope_theta: 5e5, rope_scaling: { type: 'llama3', ...scaling } },
      { rotaryBase: 5e5, ropeScaling: 8 },
    ],
    [{ rope_scaling: { rope_type: 'llama3', ...scaling, high_freq_factor: 2 } }, {}, other],
    [{ rope_scaling: { type: 'yarn', factor: 40 } }, {}, other],
    [{ rope_scaling: null }, {}],
    // Gemma 3 has a second base for layers with windows.
    [{ rope_theta: 1e6, rope_local_base_freq: 10000 }, {}],
    [{ rope_theta: 'large', rms_norm_eps: -1, rope_scaling: 3 }, {}],
    [{ rope_theta: 1234.5 }, {}],
  ])('%j', ([config, constants, ...remarks]) => {
    expect(read(config).constants).toEqual(constants);
    expect(read(config).remarks).toEqual(remarks);
  });
  test('an imported model has it', () => {
    const pipe = pipeOfConfiguration(
      read({ rope_theta: 5e5, rms_norm_eps: 1e-6, rope_scaling: { type: 'llama3', ...scaling } }),
    );
    expect(pipe).toMatch(/rotary_base\s+= 500000\n\s+rope_scaling\s+= 8\n\s+norm_epsilon\s+= 1e-6\n/);
    checkFindings(pipe, []);
  });
});

describe('damaged configurations', () => {
  const faults = (text: string) => {
    const read = readConfiguration(text);
    return 'faults' in read ? read.faults.map(({ start, end, message }) => [text.slice(start, end), message]) : [];
  };
  it.each([
    ['{"model_type": "bert"}', '"bert"', 'Unknown "model_type". Known types: gpt2, llama'],
    [JSON.stringify({ ...llama, num_attention_heads: 0 }), '0', '"num_attention_heads" must be a whole number from 1'],
    [JSON.stringify({ ...llama, hidden_size: '64' }), '"64"', 'found a text'],
    [JSON.stringify({ ...llama, hidden_size: 63 }), '8', 'hidden is not a multiple of heads; set head_dim'],
    [JSON.stringify({ ...llama, tie_word_embeddings: 1 }), '1', 'true or false'],
    [JSON.stringify({ ...llama, num_hidden_layers: 10 ** 9 }), '1000000000', 'at most 100000'],
    ['{"model_type": "llama",}', '}', 'comma'],
    ['{"model_type" "llama"}', '"', 'Expected `:`'],
    ['[1]', '[1]', 'is an object'],
  ])('%s', (text, at, message) => {
    const [first] = faults(text);
    expect(first[0]).toBe(at);
    expect(first[1]).toContain(message);
  });
  test('a missing field is told once, by its name', () => {
    const { hidden_size: _, ...lacking } = llama;
    expect(faults(JSON.stringify(lacking)).map(([, message]) => message)).toEqual(['"hidden_size" is missing.']);
  });
  test('no text makes it fail', () => {
    const fields = ['hidden_size', 'num_hidden_layers', 'num_experts', 'sliding_window', 'mlp_only_layers', 'head_dim'];
    const value = fc.oneof(
      fc.integer({ min: -2, max: 300 }),
      fc.double(),
      fc.boolean(),
      fc.string(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.constantFrom(...modelTypes), fc.dictionary(fc.constantFrom(...fields), value), (type, over) => {
        const read = readConfiguration(JSON.stringify({ ...llama, ...over, model_type: type }));
        if ('faults' in read) expect(read.faults.length).toBeGreaterThan(0);
        else expect(resolveText(pipeOfConfiguration(read)).findings).toEqual([]);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void readConfiguration(text)));
  });
});

describe('as `.pipe` text', () => {
  const configs = Object.entries(
    JSON.parse(dataFile('hf_configs.json')) as Record<string, { readonly config: Readonly<Record<string, unknown>> }>,
  );
  test.each(configs)('%s has no finding, and is told apart by its content', (_name, { config }) => {
    const text = JSON.stringify(config, undefined, 2);
    expect(isConfiguration(text)).toBe(true);
    const read = readConfiguration(text);
    expect('faults' in read ? read.faults : resolveText(pipeOfConfiguration(read)).findings).toEqual([]);
  });
});

const rest = `device d { memory = 80GiB  compute = 100TFLOPS  bandwidth = 1TB/s }
cluster box { gpu[2] = d  link = 25GB/s + 5us }
pipeline train { model = m  devices = box  microbatches = 4  stages = balance(2)  schedule = 1f1b  optimizer = none }
`;

describe('`from = huggingface(…)`', () => {
  const files = {
    'config.json': JSON.stringify(llama),
    'bad.json': JSON.stringify({ ...llama, hidden_size: 0 }, undefined, 2),
  };
  test('gives the layers, watches the file, and takes the model’s own keys', () => {
    const { plan, imports } = checkFindings(
      `model m { from = huggingface("config.json")  sequence = 32 }\n${rest}`,
      [],
      { files },
    );
    expect(imports).toEqual(['file:///project/config.json']);
    const written = resolveText(
      `model m { sequence = 32
  layer embed = embedding(vocab = 100, hidden = 64, dropout = false)
  layer block[4] = transformer(hidden = 64, heads = 8, kv_heads = 2, ffn = 128, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false)
  layer head = lm_head(vocab = 100, hidden = 64, norm = rmsnorm)
}\n${rest}`,
    );
    expect(plan.pipelines).toEqual(written.plan.pipelines);
    expect(plan.pipelines).toHaveLength(1);
  });
  test('a sequence is not made up', () => {
    checkFindings('model ⟦key/missing:m⟧ { from = huggingface("config.json") }', ['sequence'], { files });
  });
  test('files that are not there, or damaged: with line and column of the file', () => {
    checkFindings('model m { from = huggingface(⟦import/not-found:"gone.json"⟧)  sequence = 32 }');
    checkFindings(
      'model m { from = huggingface(⟦import/unreadable:"bad.json"⟧)  sequence = 32 }',
      ['line 3, column 18'],
      { files },
    );
  });
});

describe('`from` another model', () => {
  test('std:models is a file without findings', () => {
    expect(resolveText(models).findings).toEqual([]);
    for (const { name } of publishedModels) expect(models).toContain(`model ${name} {`);
  });
  test('takes layers and changes sequence, microbatch and precision', () => {
    const head = 'import { llama3_8b } from "std:models"\n';
    const own = checkFindings(`${head}model m { from = llama3_8b  sequence = 1024  micro_batch = 2 }\n${rest}`);
    const [, body] = /model llama3_8b \{([^}]*)\}/.exec(models) ?? [];
    const written = resolveText(
      `model m { ${body.replace('sequence = 8192', 'sequence = 1024  micro_batch = 2')} }\n${rest}`,
    );
    expect(own.plan.pipelines).toEqual(written.plan.pipelines);
    expect(own.plan.pipelines).toHaveLength(1);
  });
  test('the hint beside `from` is the number of parameters of the model', () => {
    const text = `import { llama3_8b } from "std:models"\nmodel m { from = llama3_8b }\n${rest}`;
    const hints = resolveText(text).derived.filter(({ text: one }) => one.includes('parameters'));
    expect(hints.map((hint) => [hint.offset, hint.text])).toEqual([[text.indexOf(' }\ndevice'), ' 8.03 G parameters']]);
  });
  test('in any order, over several, with their layers by name', () => {
    const layers = 'layer a[2] { forward = 1ms  backward = 2ms }';
    const stages = rest.replace('stages = balance(2)', 'stage x { layers = a[0] }  stage y { layers = a[1] }');
    const { plan } = checkFindings(
      `model m { from = n  micro_batch = 3 }\nmodel n { from = o }\nmodel o { ${layers}  precision = fp16 }\n${stages}`,
    );
    expect(plan.pipelines[0].stages.map((stage) => stage.forward)).toEqual([1e-3, 1e-3]);
  });
  test('circles, unknown models, other things and layers beside', () => {
    checkFindings('model a { from = ⟦name/cycle:b⟧ }\nmodel b { from = a }', ['a → b → a']);
    checkFindings('model m { from = ⟦name/unknown:nothing⟧ }');
    checkFindings('model m { from = ⟦type/mismatch:d⟧ }\ndevice d { memory = 1GiB }', ['a model']);
    checkFindings(
      'model o { layer a { forward = 1ms  backward = 1ms } }\nmodel m { from = o  ⟦key/not-applicable:layer⟧ b { forward = 1ms  backward = 1ms } }',
    );
  });
});
