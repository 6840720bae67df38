import { parseRules } from '../../src/access/reading.ts'
import { textOf, utf8 } from '../../src/base/bytes.ts'
import { parseDuration } from '../../src/base/duration.ts'
import { documentOf } from '../../src/config/sources/hcl-document.ts'
import { examineDocument } from '../../src/config/validate.ts'
import type { ObjectType } from '../../src/filter/fields.ts'
import { Filter } from '../../src/filter/filter.ts'
import { parseHcl } from '../../src/hcl/hcl.ts'
import { parseHclJson } from '../../src/hcl/json.ts'
import type { FuzzTarget } from '../tools/fuzz/target.ts'

const rules = [
  'key "a/" { policy = "write" }\nservice "" { policy = "read" intentions = "deny" }\noperator = "read"',
  '{"key": {"a": {"policy": "read"}}, "operator": "write"}',
  'node_prefix "" { policy = "write" }\nkey_prefix "x" { policy = "list" sentinel { code = <<EOF\nmain = rule { true }\nEOF\n } }',
]
const files = [
  'server = true\nports { http = 8500 }\nacl { tokens { master = "x" } }\n# a comment\nservice { name = "web" port = 80 }',
  '{"server": true, "ports": {"http": -1}, "services": [{"name": "web", "port": 80}], "telemetry": {"prefix_filter": ["+a"]}}',
]

const hcl: FuzzTarget = {
  name: 'hcl',
  about: 'HCL and HCL in JSON',
  lengthMax: 16_384,
  run: (bytes) => {
    const text = textOf(bytes)
    for (const parse of [parseHcl, parseHclJson]) parse(text)
  },
  seeds: () => [...rules, ...files].map(utf8),
  words: ['<<EOF\n', '<<-EOF\n', 'EOF', '/*', '*/', '${', '"\\u', '//'],
}

const accessRules: FuzzTarget = {
  name: 'access-rules',
  about: 'rules of access control, in both grammars',
  lengthMax: 16_384,
  run: (bytes) => {
    const text = textOf(bytes)
    for (const grammar of ['legacy', 'new'] as const) parseRules(text, grammar)
  },
  seeds: () => rules.map(utf8),
}

const configuration: FuzzTarget = {
  name: 'configuration',
  about: 'configuration files, HCL and JSON, and what their settings may be',
  lengthMax: 16_384,
  run: (bytes) => {
    const text = textOf(bytes)
    parseDuration(text)
    for (const format of ['json', 'hcl'] as const) {
      const document = documentOf('a', text, format)
      if (document.ok) examineDocument(document.value)
    }
  },
  seeds: () => files.map(utf8),
  // An unknown key is compared with all that are known, a step for each letter of both; that is done for the first
  // hundred.
  bounds: {
    steps: (length) => 2_000_000 + 3_000 * length + 200_000 * Math.min(100, length / 20),
    bytes: (length) => (32 << 20) + 2_000 * length,
  },
}

const filtered: ObjectType = {
  kind: 'object',
  members: new Map([
    ['Name', { kind: 'text' }],
    ['Port', { kind: 'number' }],
    ['Meta', { kind: 'map', value: { kind: 'text' } }],
    ['Tags', { kind: 'list', item: { kind: 'text' } }],
  ]),
}
const entry = { Name: 'web'.repeat(100), Port: 80, Meta: { a: 'b', not: 'in' }, Tags: ['a', 'b'] }

const filter: FuzzTarget = {
  name: 'filter',
  about: 'filters of answers, and one entry that is judged',
  lengthMax: 8_192,
  run: (bytes) => {
    const parsed = Filter.from(textOf(bytes), filtered)
    if (parsed.ok) parsed.value.keeps(entry, { work: 0 })
  },
  seeds: () =>
    [
      'Name == web and (Port != 80 or not "a" in Tags)',
      'Meta["a"] matches `^b+$` and Meta.not contains in',
      'Tags is not empty or Name matches "(w|e){2,9}b\\u00e9"',
    ].map(utf8),
  words: ['not ', ' and ', ' in ', '((((', '`', '"\\u', '{900}'],
  // The regular expressions of a filter, of the greatest size that they may have together, take some 5 MB.
  bounds: { bytes: (length) => (8 << 20) + 256 * length },
}

export const textTargets: readonly FuzzTarget[] = [hcl, accessRules, configuration, filter]
