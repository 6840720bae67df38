import { byteString } from '../../base/bytes.ts'
import { parseDuration } from '../../base/duration.ts'
import { metadataProblem } from '../../model/catalog.ts'
import { isTemplate, type QueryDefinition, type ServiceQuery } from './model.ts'
import { hiddenToken } from './rights.ts'
import { templateRefusal } from './template.ts'

/** Maximum number of bytes of a name: each prefix of a requested name is looked up among the templates. */
export const queryNameBytesMax = 256
/** Maximum size of all texts of a definition together, in UTF-16 units, each with a small overhead. */
const definitionSizeMax = 65_536
const textSize = 16

/** Why a definition is invalid by itself, in the field's words. Reference: prepared-queries.md#query-object. */
export function definitionRefusal(query: QueryDefinition): string | undefined {
  const problem = sizeProblem(query) ?? ownProblem(query) ?? serviceProblem(query.service) ?? ttlProblem(query.dns.ttl)
  if (problem !== undefined) return `Invalid prepared query: ${problem}`
  const template = isTemplate(query) ? templateRefusal(query) : undefined
  return template === undefined ? undefined : `failed compiling template: ${template}`
}

function sizeProblem({ name, session, token, template, service, dns }: QueryDefinition): string | undefined {
  if (byteString(name).length > queryNameBytesMax) return `Name is longer than ${queryNameBytesMax} bytes`
  const texts = [
    ...[session, token, template.type, template.regexp, service.service, service.near, dns.ttl],
    ...(service.failover.datacenters ?? []),
    ...(service.ignoreCheckIds ?? []),
    ...(service.tags ?? []),
    ...(service.nodeMeta ?? []).flat(),
  ]
  const size = texts.reduce((sum, text) => sum + text.length + textSize, 0)
  return size > definitionSizeMax ? `its texts take more than ${definitionSizeMax} characters` : undefined
}

function ownProblem(query: QueryDefinition): string | undefined {
  if (query.name === '' && !isTemplate(query) && query.session === '') return 'Must be bound to a session'
  if (query.token !== hiddenToken) return undefined
  return `Bad Token '${hiddenToken}', it looks like a query definition with a redacted token was submitted`
}

function serviceProblem({ service, failover, nodeMeta }: ServiceQuery): string | undefined {
  if (service === '') return 'Must provide a Service name to query'
  if (failover.nearestN < 0) return `Bad NearestN '${failover.nearestN}', must be >= 0`
  const meta = metadataProblem(nodeMeta ?? [])
  return meta === undefined ? undefined : `Invalid node metadata filters: ${meta}`
}

function ttlProblem(ttl: string): string | undefined {
  if (ttl === '') return undefined
  const parsed = parseDuration(ttl)
  if (!parsed.ok) return `Bad DNS TTL '${ttl}': time: invalid duration ${JSON.stringify(ttl)}`
  return parsed.value < 0 ? `DNS TTL '${Math.round(parsed.value * 1e6)}', must be >=0` : undefined
}
