import { LinearRegexp } from '../base/linear-regexp.ts'
import { regexpSize } from '../base/regexp-size.ts'
import { type FieldType, isSingle, type ObjectType, operatorsOf, typeNames } from './fields.ts'
import { equals, hasItem, hasKey, hasPart, isEmpty, type Judgement, matches, stepped } from './judgements.ts'
import { comparisonsMax, regexpsSizeMax } from './limits.ts'
import { FilterError } from './problem.ts'
import { fieldOf } from './selection.ts'
import type { Comparison, Expression, Operand } from './tree.ts'
import { type Wanted, wantedOf } from './values.ts'

/** Turns an expression into a judgement of entries of this type. Throws FilterError where the two do not fit. */
export function judgementOf(expression: Expression, type: ObjectType): Judgement {
  return new Compiler(type).judgement(expression)
}

/** A regular expression costs a unit for each character and this much of its size. */
const sizePerWork = 16

class Compiler {
  readonly #type: ObjectType
  #comparisons = 0
  #regexpsSize = 0

  constructor(type: ObjectType) {
    this.#type = type
  }

  judgement(expression: Expression): Judgement {
    switch (expression.kind) {
      case 'comparison':
        return this.#comparison(expression)
      case 'not': {
        const part = this.judgement(expression.part)
        return (entry, meter) => !part(entry, meter)
      }
      case 'all-of': {
        const parts = expression.parts.map((part) => this.judgement(part))
        return (entry, meter) => parts.every((part) => part(entry, meter))
      }
      case 'any-of': {
        const parts = expression.parts.map((part) => this.judgement(part))
        return (entry, meter) => parts.some((part) => part(entry, meter))
      }
    }
  }

  #comparison(comparison: Comparison): Judgement {
    this.#comparisons++
    if (this.#comparisons > comparisonsMax) {
      throw new FilterError(comparison.operatorOffset, `a filter has at most ${comparisonsMax} comparisons`)
    }
    const { type, path } = fieldOf(comparison.selector, this.#type)
    const positive = this.#ofField(comparison, type)
    const negative: Judgement = (found, meter) => !positive(found, meter)
    const absent = isTrueOfAbsent(comparison)
    const atField = comparison.isNegated ? negative : positive
    return path.reduceRight<Judgement>((inner, step) => stepped(step, inner, absent), atField)
  }

  /** The judgement of the selected field, before the negation. */
  #ofField(comparison: Comparison, type: FieldType): Judgement {
    const { relation, operator, operatorOffset, operand } = comparison
    const allowed = operatorsOf(type)
    if (!allowed.includes(operator)) throw new FilterError(operatorOffset, unfit(comparison, type, allowed))
    if (relation === 'empty' || operand === undefined) return isEmpty
    if (relation === 'matches') return this.#regexp(operand)
    if (type.kind === 'map') return hasKey(operand.text)
    if (type.kind === 'list' && isSingle(type.item)) return hasItem(converted(operand, type.item))
    if (relation === 'in') return hasPart(operand.text)
    return equals(converted(operand, type), zeroOf(type))
  }

  #regexp({ text, offset }: Operand): Judgement {
    const size = regexpSize(text)
    this.#regexpsSize += size
    if (this.#regexpsSize > regexpsSizeMax) {
      throw new FilterError(offset, 'the regular expressions of this filter are too large')
    }
    const compiled = LinearRegexp.from(text)
    if (!compiled.ok) throw new FilterError(offset, compiled.error)
    return matches(compiled.value, 1 + size / sizePerWork)
  }
}

/**
 * What holds of a key that a map does not have: it equals nothing, is in nothing, matches nothing, and is empty. The
 * field lets an absent key match every expression.
 */
function isTrueOfAbsent({ relation, isNegated }: Comparison): boolean {
  return relation === 'empty' ? !isNegated : isNegated
}

function converted({ text, offset }: Operand, type: FieldType): Wanted {
  const wanted = isSingle(type) ? wantedOf(text, type) : undefined
  if (wanted?.ok === true) return wanted.value
  throw new FilterError(offset, `the value is ${wanted?.error ?? 'not of the type of the field'}`)
}

function zeroOf({ kind }: FieldType): Wanted {
  return kind === 'number' ? 0 : kind === 'flag' ? false : ''
}

function unfit({ operator, selector }: Comparison, type: FieldType, allowed: readonly string[]): string {
  const name = selector.map((part) => part.name).join('.')
  const operators = allowed.length === 0 ? 'select one of its members' : `it takes ${allowed.join(', ')}`
  return `"${operator}" does not apply to "${name}", ${typeNames[type.kind]}; ${operators}`
}
