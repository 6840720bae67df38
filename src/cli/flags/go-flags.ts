import { nearest } from '../../base/edit-distance.ts'
import { itemAt } from '../../base/items.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { providerText } from '../../config/past/past-keys.ts'
import { isFlagStillRead, removedFlag } from '../../config/past/removed.ts'
import { parseRelease, type Release } from '../../model/release.ts'
import type { CommandFlag } from '../command.ts'

/**
 * Rewrites arguments in the field's style (`-dev`, `-config-file=x`, `-bind -1`, one dash or two, flags before
 * operands) into those that commander takes. The error is the line that the field prints.
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

/**
 * Whether the arguments request the help page, possibly after other flags. The word does not count as the value of a
 * flag or as an operand.
 */
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
 * A flag of the command that follows an operand, where it would be read as another operand; undefined: there is none,
 * or `--` marks all of these as operands.
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

/** Flags of cloud providers by their prefix, and the provider that is named instead today. */
const clouds: readonly (readonly [prefix: string, provider: string])[] = [
  ['retry-join-azure-', 'azure'],
  ['retry-join-ec2-', 'aws'],
  ['retry-join-gce-', 'gce'],
]

/**
 * Translates flags of earlier releases of the agent into today's, because scripts that start agents still contain them.
 */
class PastFlags {
  readonly #release: Release | undefined
  readonly #asked = new Map<string, Record<string, string>>()

  /** `releases`: whether earlier releases had such flags for the command, which is so for the agent alone. */
  constructor(argv: readonly string[], releases: boolean) {
    const given = argv.flatMap((argument, at) => {
      const match = /^--?release(?:=(.*))?$/.exec(argument)
      return match === null ? [] : [match[1] ?? argv[at + 1] ?? '']
    })
    this.#release = releases ? parseRelease(given.at(-1) ?? '') : undefined
  }

  /** Whether the release has the flag; all of them but one take a value. */
  has(name: string): boolean {
    return this.#release !== undefined && name !== 'rpc-addr' && isFlagStillRead(name, this.#release)
  }

  takesValue(name: string): boolean {
    return name !== 'atlas-join'
  }

  /** Today's flags in its place that are known at once; those that combine several flags come at the end. */
  take(name: string, value: string): readonly string[] {
    if (name === 'dc') return [`--datacenter=${value}`]
    const [prefix, provider] = clouds.find(([each]) => name.startsWith(each)) ?? []
    if (prefix === undefined || provider === undefined) return []
    const key = name.slice(prefix.length).replaceAll('-', '_')
    this.#asked.set(provider, { ...this.#asked.get(provider), [key]: value })
    return []
  }

  rest(): readonly string[] {
    return [...this.#asked].map(([provider, keys]) => `--retry-join=${providerText(provider, keys)}`)
  }
}
