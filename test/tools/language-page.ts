import { invariants } from '../../sim/checkers/checkers.ts'
import { shareMaxOf } from '../../sim/checkers/excuse-shares.ts'
import { marks } from '../../sim/checkers/marks.ts'
import { triggers } from '../../sim/faults/fault-schema.ts'
import { groups, joinedSelections } from '../../sim/notation/selector.ts'
import { scenarioJsonSchema } from '../../sim/scenario/language/json-schema.ts'

/** More keys than this are not named in the row of the key above them: they have a table of their own. */
const keysInRowMax = 7

/** A node of the JSON Schema, as far as the page shows it. */
interface Shown {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Shown>>
  readonly additionalProperties?: Shown | boolean
  readonly required?: readonly string[]
  readonly items?: Shown
  readonly anyOf?: readonly Shown[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
}

/**
 * The tables of the language page (docs/scenarios.md), by the name under which the page has them: made from what files
 * are read with, so that the page cannot say what is not so.
 */
export function languageTables(): ReadonlyMap<string, string> {
  const root = scenarioJsonSchema() as Shown
  const at = (...path: readonly string[]): Shown => path.reduce(member, root)
  return new Map([
    ['scenario', table(root)],
    ['cluster', table(at('cluster', '*'))],
    ['network', table(at('network'))],
    ['disk', table(at('disk'))],
    ['clocks', table(at('clocks'))],
    ['knobs', table(at('knobs'))],
    ['workload', table(at('workload', '*'))],
    ['owners', table(at('owners', '*'))],
    ['heartbeats', table(at('heartbeats', '*'))],
    ['registrations', table(at('registrations', '*'))],
    ['readers', table(at('readers', '*'))],
    ['comparers', table(at('comparers', '*'))],
    ['locks', table(at('locks', '*'))],
    ['watchers', table(at('watchers', '*'))],
    ['visitors', table(at('visitors', '*'))],
    ['editors', table(at('editors', '*'))],
    ['intentions', table(at('intentions', '*'))],
    ['mistakes', table(at('mistakes', '*'))],
    ['receivers', table(at('receivers', '*'))],
    ['recursors', table(at('recursors', '*'))],
    ['proxies', table(at('proxies', '*'))],
    ['mesh', table(at('mesh'))],
    ['mesh conditions', table(at('always', '[]', 'mesh'))],
    ['tunnels', table(at('tunnels', '*'))],
    ['tunnel conditions', table(at('always', '[]', 'tunnels'))],
    ['authority', table(at('steps', '[]', 'authority'))],
    ['api server', table(at('api server'))],
    ['web servers', table(at('web servers', '*'))],
    ['faults', table(at('faults', '[]'))],
    ['actions', table(at('faults', '[]', 'do', '[]'))],
    ['steps', table(at('steps', '[]'), at('faults', '[]', 'do', '[]'))],
    ['conditions', table(at('always', '[]'))],
    ['upgrade', table(at('steps', '[]', 'upgrade'))],
    ['http', table(at('steps', '[]', 'http'))],
    ['slow network', table(at('faults', '[]', 'do', '[]', 'slow network'))],
    ['partition', table(at('faults', '[]', 'do', '[]', 'partition'))],
    ['selections', rows(Object.entries(groups))],
    ['joined selections', rows(Object.entries(joinedSelections))],
    ['triggers', rows(Object.entries(triggers))],
    ['marks', rows(Object.entries(marks))],
    ['invariants', invariantRows()],
    ['excuses of invariants', excuseRows()],
  ])
}

/** Actions of steps and faults that have too many keys for their row, by name. */
export function crowdedActions(): readonly string[] {
  const root = scenarioJsonSchema() as Shown
  const steps = member(member(root, 'steps'), '[]')
  return Object.entries(steps.properties ?? {}).flatMap(([name, node]) => {
    const keys = readings(node).flatMap(({ properties = {} }) => Object.keys(properties))
    return keys.length > keysInRowMax ? [name] : []
  })
}

/** The page with every table replaced by the one that holds now. */
export function filledPage(page: string): string {
  let filled = page
  for (const [name, text] of languageTables()) {
    const between = new RegExp(`(<!-- table: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`)
    filled = filled.replace(between, (_, begin: string, end: string) => `${begin}\n${text}\n${end}`)
  }
  return filled
}

function member(node: Shown, part: string): Shown {
  for (const reading of readings(node)) {
    if (part === '[]' && reading.items !== undefined) return reading.items
    if (part === '*' && typeof reading.additionalProperties === 'object') return reading.additionalProperties
    const found = reading.properties?.[part]
    if (found !== undefined) return found
  }
  return {}
}

function readings(node: Shown): readonly Shown[] {
  return node.anyOf === undefined ? [node] : node.anyOf.flatMap(readings)
}

/** `but`: keys that another table has already. */
function table(node: Shown, but: Shown = {}): string {
  const keyed = readings(node).find(({ properties }) => properties !== undefined) ?? node
  const required = new Set(keyed.required)
  const lines = Object.entries(keyed.properties ?? {})
    .filter(([key]) => but.properties?.[key] === undefined)
    .map(([key, value]): readonly [string, string] => {
      const keys = readings(value).flatMap((reading) => Object.keys(reading.properties ?? {}))
      const notes = [
        value.description ?? readings(value).find((reading) => reading.description !== undefined)?.description ?? '',
        choices(value),
        keys.length > 0 && keys.length <= keysInRowMax
          ? `Keys: ${[...new Set(keys)].map((one) => `\`${one}\``).join(', ')}.`
          : '',
        required.has(key) ? 'Required.' : '',
        value.default === undefined || typeof value.default === 'object' ? '' : `Default: ${String(value.default)}.`,
      ]
      return [key, notes.filter((note) => note !== '').join(' ')]
    })
  return rows(lines)
}

function choices(node: Shown): string {
  const names = node.enum ?? node.items?.enum
  return names === undefined || names.length > 6
    ? ''
    : `One of ${names.map((name) => `\`${String(name)}\``).join(', ')}.`
}

function invariantRows(): string {
  const lines = Object.entries(invariants).map(([code, { text, judges, of }]) => {
    const counted = of === undefined ? judges[1] : `${judges[1]} of ${of[1]}`
    return `| \`${code}\` | ${cell(text)} | ${counted} |`
  })
  return ['| key | meaning | a run counts |', '|---|---|---|', ...lines].join('\n')
}

function excuseRows(): string {
  const lines = Object.entries(invariants).flatMap(([code, law]) =>
    Object.entries<string>(law.excuses ?? {}).map(([name, text]) => {
      const most = `${Math.round(shareMaxOf(law, name) * 100)} %`
      return `| \`${code}\` | ${name} | ${cell(sentence(text))} | ${most} |`
    }),
  )
  const head = ['| of | excuse | what it lets pass, and until when | at most |', '|---|---|---|---|']
  return [...head, ...lines].join('\n')
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1)
  return whole.endsWith('.') ? whole : `${whole}.`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

function rows(lines: readonly (readonly [string, string])[]): string {
  return ['| key | meaning |', '|---|---|', ...lines.map(([key, text]) => `| \`${key}\` | ${cell(text)} |`)].join('\n')
}
