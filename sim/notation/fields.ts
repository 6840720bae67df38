import { z } from 'zod'
import { nearest } from '../../src/base/edit-distance.ts'
import type { Result } from '../../src/base/result.ts'
import * as quantities from './quantities.ts'
import { type Selector, selectorOf, selectorOfList } from './selector.ts'

/** Text in which `${name}` stands for something an earlier step saved. */
export class Template {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Names used, in order. `answer.body` uses `answer`. */
  names(): readonly string[] {
    return [...this.text.matchAll(reference)].map((match) => savedName(match[1] as string))
  }

  /** The text with every reference replaced by what `fill` gives for it. */
  filled(fill: (reference: string) => string): string {
    return this.text.replace(reference, (_, name: string) => fill(name.trim()))
  }
}

const reference = /\$\{([^}]+)\}/g

/** The saved name that a reference such as `answer.body` goes to. */
export function savedName(text: string): string {
  return (text.trim().split('.')[0] as string).trim()
}

/** Values of the scenario language: what people write, read into what the runner uses. */

function textField<T>(read: (text: string) => Result<T, string>, description: string) {
  return z
    .string()
    .transform((text, context): T => {
      const parsed = read(text)
      if (parsed.ok) return parsed.value
      context.issues.push({ code: 'custom', message: parsed.error, input: text })
      return z.NEVER
    })
    .describe(description)
}

/** Numbers are taken as their own text, so that one without its unit is told what it lacks. */
function quantityField<T>(read: (text: string) => Result<T, string>, description: string) {
  return z
    .union([z.string(), z.number()])
    .transform((given, context): T => {
      const parsed = read(String(given))
      if (parsed.ok) return parsed.value
      context.issues.push({ code: 'custom', message: parsed.error, input: given })
      return z.NEVER
    })
    .describe(description)
}

export const duration = quantityField(quantities.durationOf, 'A time span: 300ms, 2s, 1m30s.')
export const durationRange = quantityField(
  quantities.durationRangeOf,
  'A time span, or a range from which one is drawn each time: 300ms, 1s..5s.',
)
export const signedDurationRange = quantityField(
  quantities.signedDurationRangeOf,
  'A time span of either sign, or a range: -5s..5s.',
)
export const chance = quantityField(quantities.chanceOf, 'A chance in percent: 0.1%.')
export const percentRange = quantityField(quantities.percentRangeOf, 'A share in percent, or a range: -1%..1%.')
export const rate = quantityField(quantities.rateOf, 'How often: 50/s, 10/m.')
export const release = textField(quantities.releaseOf, 'A release: 1.0.1.')
export const countBound = textField(quantities.countBoundOf, "A bound on a count: 'at least 10', 'at most 3'.")

export const selector = z
  .union([z.string(), z.array(z.string()).min(1)])
  .transform((given, context): Selector => {
    const parsed = typeof given === 'string' ? selectorOf(given) : selectorOfList(given)
    if (parsed.ok) return parsed.value
    context.issues.push({ code: 'custom', message: parsed.error, input: given })
    return z.NEVER
  })
  .describe(`Nodes by name or by what they are: s2, [s1, s3], leader, one of followers, \${saved name}.`)

export const template = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((given) => new Template(String(given)))
  .describe(`Text; \${name} stands for what an earlier step saved.`)

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'] as const

/** Method and target of an HTTP request. What an earlier step saved may stand for either. */
export const httpRequest = template.superRefine(({ text }, context) => {
  const issue = (message: string): void => {
    context.issues.push({ code: 'custom', message, input: text })
  }
  const [method = '', target] = text.trim().split(/\s+/)
  if (method.includes('${')) return
  if (method.startsWith('/')) return issue(`'${text}' lacks its method: write 'GET ${method}'`)
  if (!methods.some((known) => known === method.toUpperCase())) {
    const meant = nearest(method.toUpperCase(), methods)
    return issue(
      `unknown method '${method}': ${meant === undefined ? `write ${methods.join(', ')}` : `did you mean '${meant}'?`}`,
    )
  }
  if (target === undefined) return issue(`'${text}' lacks its target: write '${method} /v1/…'`)
  if (!target.startsWith('/') && !target.startsWith('${'))
    issue(`the target '${target}' does not begin with /: write '/${target}'`)
})

const namePattern = /^[a-z][a-z0-9-]*(?: [a-z0-9-]+)*$/
export const savedNameField = z
  .string()
  .regex(namePattern, "a saved name is made of small letters, digits, '-' and single spaces")
