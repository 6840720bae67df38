import type { Statement } from '../../../sim/checkers/access/access-judge.ts'
import type { Grammar } from '../../../src/access/rules.ts'
import { fc } from '../../fast-check.ts'

/** Names of few letters, so that many begin with others; `~` begins or ends none of them. */
export const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 4 })

const level = fc.constantFrom('deny', 'read', 'write')

export const resources = ['agent', 'event', 'key', 'node', 'query', 'service', 'session'] as const

function block(grammar: Grammar, only: readonly string[]): fc.Arbitrary<Statement> {
  const ends = grammar === 'new' ? ['', '_prefix'] : ['']
  return fc.constantFrom(...only).chain((resource) =>
    fc.record({
      block: fc.constantFrom(...ends.map((end) => `${resource}${end}`)),
      label: name,
      policy: resource === 'key' ? fc.constantFrom('deny', 'read', 'list', 'write') : level,
      intentions: resource === 'service' ? fc.oneof(fc.constant(''), level) : fc.constant(''),
    }),
  )
}

const scalar: fc.Arbitrary<Statement> = fc.record({
  block: fc.constantFrom('acl', 'keyring', 'operator'),
  label: fc.constant(''),
  policy: fc.oneof(fc.constant(''), level),
  intentions: fc.constant(''),
})

const isScalar = ({ block: name }: Statement): boolean => ['acl', 'keyring', 'operator'].includes(name)

/** Some lines of rules, mostly on few resources; a scalar stands once, for of two the last one counts. */
export function statements(grammar: Grammar): fc.Arbitrary<readonly Statement[]> {
  const anything = block(grammar, resources)
  const much = fc.constantFrom(...resources).chain((resource) => block(grammar, [resource]))
  const everything = fc.constantFrom(
    ...resources.map((resource) => ({
      block: grammar === 'new' ? `${resource}_prefix` : resource,
      label: '',
      policy: 'write',
      intentions: resource === 'service' ? 'write' : '',
    })),
  )
  return fc.array(fc.oneof(anything, much, scalar, everything), { maxLength: 12 }).map((some) => {
    const seen = new Set<string>()
    return some.filter((one) => !isScalar(one) || (!seen.has(one.block) && seen.add(one.block)))
  })
}

/** Every right there is, as management has it. */
export const management: readonly Statement[] = [
  ...['acl', 'keyring', 'operator'].map((block) => ({ block, label: '', policy: 'write', intentions: '' })),
  ...resources.map((resource) => ({
    block: `${resource}_prefix`,
    label: '',
    policy: 'write',
    intentions: resource === 'service' ? 'write' : '',
  })),
]

/** The lines as HCL. */
export function hclOf(some: readonly Statement[]): string {
  return some
    .map((one) => {
      if (isScalar(one)) return `${one.block} = "${one.policy}"`
      const more = one.intentions === '' ? '' : ` intentions = "${one.intentions}"`
      return `${one.block} "${one.label}" { policy = "${one.policy}"${more} }`
    })
    .join('\n')
}

/** The lines as JSON, in which names are repeated where lines are. */
export function jsonOf(some: readonly Statement[]): string {
  const members = some.map((one) => {
    if (isScalar(one)) return `${JSON.stringify(one.block)}:${JSON.stringify(one.policy)}`
    const { policy, intentions } = one
    const body = JSON.stringify(intentions === '' ? { policy } : { policy, intentions })
    return `${JSON.stringify(one.block)}:{${JSON.stringify(one.label)}:${body}}`
  })
  return `{${members.join(',')}}`
}
