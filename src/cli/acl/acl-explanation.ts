import { z } from 'zod'
import type { Resource, Right } from '../../access/authorizer.ts'
import { labelledResources, scalarResources } from '../../access/rules.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { ApiClient } from '../api/client.ts'
import { askJson } from '../api/json-client.ts'
import type { Invocation } from '../command.ts'

/** The question to be explained: is this right given? */
export interface Question {
  readonly resource: Resource
  readonly right: Right
  /** Empty at a resource that has no names. */
  readonly name: string
}

const resources: readonly Resource[] = [...labelledResources, 'intention', ...scalarResources]
const rights: readonly Right[] = ['read', 'list', 'write']

/** Reads `service:write` and the name that follows it. */
export function questionOf(asked: string, name: string | undefined): Result<Question, string> {
  const [resource, right, ...more] = asked.split(':')
  const known = resources.find((each) => each === resource)
  const may = rights.find((each) => each === right)
  if (known === undefined || may === undefined || more.length > 0) {
    const write = `write <resource>:<right>, of ${resources.join(', ')} and ${rights.join(', ')}`
    return err(`${JSON.stringify(asked)} is not a right on a resource: ${write}`)
  }
  if (may === 'list' && known !== 'key') return err('only key has the right list')
  const isScalar = scalarResources.some((each) => each === known)
  if (isScalar && name !== undefined) return err(`${known} has no names: leave ${JSON.stringify(name)} out`)
  if (!isScalar && name === undefined) return err(`give the name as well: ${known}:${may} <name>`)
  return ok({ resource: known, right: may, name: name ?? '' })
}

const explanationSchema = z.object({
  AccessorID: z.string(),
  Allowed: z.boolean(),
  DecidedBy: z.enum(['rule', 'default', 'unrestricted', 'not-enforced']),
  Rule: z.string(),
  Level: z.string(),
  Policy: z.string(),
})

export type Explanation = z.infer<typeof explanationSchema>

/** A server's decision for the token of the request, or for the one with an accessor. */
export function explain(
  invocation: Invocation,
  { resource, right, name }: Question,
  accessor: string,
): Promise<Result<Explanation, string>> {
  const other: readonly (readonly [string, string])[] = accessor === '' ? [] : [['accessor', accessor]]
  const named: readonly (readonly [string, string])[] = name === '' ? [] : [['name', name]]
  const query = [['resource', resource], ['right', right], ...named, ...other] as const
  return askJson(new ApiClient(invocation), { method: 'GET', path: '/v1/acl/explain', query }, explanationSchema)
}

/** The reason in words; it contains no secret. */
export function decisionText({ DecidedBy, Rule, Level, Policy }: Explanation): string {
  switch (DecidedBy) {
    case 'rule':
      return `${Rule} is ${JSON.stringify(Level)} in ${Policy}`
    case 'default':
      return `no rule matches, and the default policy is ${Level}`
    case 'unrestricted':
      return 'the token may do everything'
    case 'not-enforced':
      return 'the settings of access control do not require this right'
  }
}
