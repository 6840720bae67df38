import type { Json } from '../base/json.ts'
import type { LinearRegexp } from '../base/linear-regexp.ts'
import { isList } from '../base/shape.ts'
import { entryWorkMax } from './limits.ts'
import type { Step } from './selection.ts'
import { isSame, type Wanted } from './values.ts'

/** A member that is left out or null has the zero value of its type: the empty string, 0, false, nothing. */
export type Found = Json | undefined

/** Counts the work of judging, in units of about 50 ns; of the costliest expressions a unit takes twenty times that. */
export interface Meter {
  work: number
}

/** Thrown inside this room only, and caught at its entry: one entry takes more work than it may. */
export class TooMuchWork extends Error {}

/** Counts work before it is done. */
function spend(meter: Meter, work: number): void {
  meter.work += work
  if (meter.work > entryWorkMax) throw new TooMuchWork()
}

/** The meter is that of one entry. */
export type Judgement = (found: Found, meter: Meter) => boolean

/** Units of one comparison, and characters of a text that are searched in one unit. */
const comparisonWork = 1
const charactersPerWork = 64

export function equals(wanted: Wanted, zero: Wanted): Judgement {
  return (found, meter) => {
    spend(meter, comparisonWork)
    return isSame(found ?? zero, wanted)
  }
}

export function isEmpty(found: Found, meter: Meter): boolean {
  spend(meter, comparisonWork)
  if (typeof found !== 'object' || found === null) return true
  if (isList(found)) return found.length === 0
  for (const name in found) if (found[name] !== undefined) return false
  return true
}

/** `workPerCharacter`: how many units one character of the text costs, by the size of the expression. */
export function matches(expression: LinearRegexp, workPerCharacter: number): Judgement {
  return (found, meter) => {
    const text = typeof found === 'string' ? found : ''
    spend(meter, comparisonWork + text.length * workPerCharacter)
    return expression.test(text)
  }
}

/** Whether the string has this part. */
export function hasPart(wanted: string): Judgement {
  return (found, meter) => {
    const text = typeof found === 'string' ? found : ''
    spend(meter, comparisonWork + text.length / charactersPerWork)
    return text.includes(wanted)
  }
}

export function hasItem(wanted: Wanted): Judgement {
  return (found, meter) => {
    const items = isListFound(found) ? found : []
    spend(meter, comparisonWork + items.length)
    return items.some((item) => isSame(item, wanted))
  }
}

export function hasKey(wanted: string): Judgement {
  return (found, meter) => {
    spend(meter, comparisonWork)
    return keyOf(found, wanted) !== undefined
  }
}

/** What `inner` says of the part of a value that a step leads to; `absent` of a key that a map does not have. */
export function stepped(step: Step, inner: Judgement, absent: boolean): Judgement {
  switch (step.kind) {
    case 'member':
      return (found, meter) => inner(memberOf(found, step.name), meter)
    case 'key':
      return (found, meter) => {
        spend(meter, comparisonWork)
        const value = keyOf(found, step.name)
        return value === undefined ? absent : inner(value, meter)
      }
    case 'each':
      return (found, meter) => isListFound(found) && found.some((item) => inner(item, meter))
  }
}

function memberOf(found: Found, name: string): Found {
  if (typeof found !== 'object' || found === null || isList(found)) return undefined
  return found[name]
}

/** Keys of maps come from outside: what every object inherits is not among them. */
function keyOf(found: Found, name: string): Found {
  if (typeof found !== 'object' || found === null || isList(found)) return undefined
  return Object.hasOwn(found, name) ? found[name] : undefined
}

function isListFound(found: Found): found is readonly Json[] {
  return typeof found === 'object' && found !== null && isList(found)
}
