import type { Exact } from './exact-json.ts'
import { lookup } from './json-path.ts'
import type { Variables } from './sequence.ts'

/** What conditions speak of. */
export interface Observed {
  readonly status?: number
  readonly elapsedSeconds: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly json: Exact | undefined
}

/**
 * Whether `$m2 > $m`, `elapsed < 3`, `body.0.Port == 5`, `body.# == 2` or the like holds. What is absent holds nothing
 * but `==` with what is absent.
 */
export function holds(condition: string, observed: Observed, variables: Variables): boolean {
  const [left = '', operator = '', ...rest] = condition.split(' ')
  const a = operand(left, observed, variables)
  const b = operand(rest.join(' '), observed, variables)
  if (operator === '==') return a === b
  if (operator === '!=') return a !== b
  if (typeof a !== typeof b || (typeof a !== 'number' && typeof a !== 'string') || b === undefined) return false
  switch (operator) {
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
    default:
      throw new Error(`unknown operator in condition: ${condition}`)
  }
}

type Operand = number | string | undefined

/** Whatever reads as a number is one, as in the tool that recorded. */
function operand(text: string, observed: Observed, variables: Variables): Operand {
  if (/^-?[\d.]+$/.test(text)) return Number(text)
  if (text.startsWith('"')) return text.replace(/^"+|"+$/g, '')
  if (text.startsWith('$')) return comparable(variables.get(text.slice(1)))
  if (text === 'status') return observed.status
  if (text === 'elapsed') return observed.elapsedSeconds
  if (text.startsWith('header.')) return comparable(headerNamed(text.slice('header.'.length), observed))
  if (!text.startsWith('body')) throw new Error(`unknown operand in condition: ${text}`)
  if (!text.endsWith('.#')) return comparable(lookup(observed.json, text.slice('body.'.length)))
  const counted = lookup(observed.json, text.slice('body.'.length, -2))
  return typeof counted === 'object' && counted !== null ? Object.keys(counted).length : undefined
}

export function headerNamed(name: string, observed: Observed): string | undefined {
  return observed.headers.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1]
}

function comparable(value: Exact | undefined): Operand {
  if (value === undefined || value === null || typeof value === 'object') return undefined
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
  return Number.isNaN(number) ? String(value) : number
}
