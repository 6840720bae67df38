import { nearest } from '../../base/edit-distance.ts'
import { itemAt } from '../../base/items.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { removedFlag } from '../../config/past/removed.ts'
import type { CommandFlag } from '../command.ts'
import { PastFlags } from './past-flags.ts'

/**
 * Rewrites arguments in the field's style (`-dev`, `-config-file=x`, `-bind -1`, one dash or two, flags before operands)
 * into those that commander takes. The error is the line that the field prints.
 */
export function rewriteGoFlags(
  argv: readonly string[],
  flags: readonly CommandFlag[],
): Result<readonly string[], string> {
  const byName = new Map(flags.map((flag) => [flag.name, flag]))
  const out: string[] = []
  const past = new PastFlags(argv, byName.has('release') && byName.has('retry-join'))
  for (let at = 0; at < argv.length; at++) {
    const argument = itemAt(argv, at)
    if (argument === '--') return ok([...out, ...past.rest(), ...argv.slice(at)])
    const match = /^--?([^-=][^=]*)(?:=([\s\S]*))?$/.exec(argument)
    if (match === null) return ok([...out, ...past.rest(), '--', ...argv.slice(at)])
    const [, name = '', value] = match
    const flag = byName.get(name)
    if (flag === undefined && past.has(name)) {
      const text = past.takesValue(name) ? (value ?? argv[++at]) : ''
      if (text === undefined) return err(`flag needs an argument: -${name}`)
      out.push(...past.take(name, text))
      continue
    }
    if (flag === undefined) {
      return err(undefinedText(name, [...byName.keys()]))
    }
    if (flag.kind === 'bool') {
      const truth = value === undefined ? true : truthOf(value)
      if (truth === undefined) return err(`invalid boolean value "${value ?? ''}" for -${name}: parse error`)
      out.push(truth ? `--${name}` : `--no-${name}`)
      continue
    }
    const text = value ?? argv[++at]
    if (text === undefined) return err(`flag needs an argument: -${name}`)
    out.push(`--${name}=${text}`)
  }
  return ok([...out, ...past.rest()])
}

export const helpFlags: readonly string[] = ['-h', '-help', '--help']

/** Whether the page is asked for, be it behind other flags: not where the word is the value of one, or an operand. */
export function asksForHelp(argv: readonly string[], flags: readonly CommandFlag[]): boolean {
  const at = argv.findIndex((argument) => helpFlags.includes(argument))
  if (at < 0) return false
  const before = rewriteGoFlags(argv.slice(0, at), flags)
  return before.ok && !before.value.includes('--')
}

function undefinedText(name: string, names: readonly string[]): string {
  const text = `flag provided but not defined: -${name}`
  const removed = removedFlag(name)
  if (removed !== undefined) return `${text} (${removed})`
  const meant = nearest(name, names)
  return meant === undefined ? text : `${text}: did you mean -${meant}?`
}

/**
 * A flag of the command that stands behind an operand, where it would be taken for another one; undefined: there is none, or it is
 * said with `--` that all of these are operands.
 */
export function flagBehindOperands(argv: readonly string[], flags: readonly CommandFlag[]): string | undefined {
  const rewritten = rewriteGoFlags(argv, flags)
  if (!rewritten.ok || argv.includes('--')) return undefined
  const end = rewritten.value.indexOf('--')
  const operands = end < 0 ? [] : rewritten.value.slice(end + 1)
  const names = operands.flatMap((operand) => /^--?([^-=][^=]*)/.exec(operand)?.[1] ?? [])
  return names.find((name) => flags.some((flag) => flag.name === name))
}

/** The words that Go's flag package takes for a truth value. */
export function truthOf(text: string): boolean | undefined {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false
  return undefined
}
