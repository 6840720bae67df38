import { LinearRegexp } from '../../base/linear-regexp.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { type Meaning, parseInterpolated, renderInterpolated } from './interpolation.ts'
import { type QueryDefinition, type ServiceQuery, templateType } from './model.ts'

/**
 * Maximum number of characters of all texts of a rendered query together: a short template can repeat a long name
 * often.
 */
const renderedCharactersMax = 65_536

/** Renders a template with its shortest possible name, to find errors that execution would meet. */
export function templateRefusal(query: QueryDefinition): string | undefined {
  if (query.template.type !== templateType) return `Bad Template.Type '${query.template.type}'`
  const rendered = renderTemplate(query, query.name, '')
  return rendered.ok ? undefined : rendered.error
}

/**
 * The query that a template makes for a name with the template's prefix. Only its search is rendered. Reference:
 * prepared-queries.md#interpolation.
 */
export function renderTemplate<Query extends QueryDefinition>(
  query: Query,
  name: string,
  segment: string,
): Result<Query, string> {
  const groups = matchOf(query.template.regexp, name)
  if (!groups.ok) return groups
  const variables = new Map([
    ['name.full', name],
    ['name.prefix', query.name],
    ['name.suffix', name.slice(query.name.length)],
    ['agent.segment', segment],
  ])
  const rendering = new Rendering({ variables, groups: groups.value })
  const service = rendering.service(query.service, query.template.removeEmptyTags)
  return rendering.problem === undefined ? ok({ ...query, service }) : err(rendering.problem)
}

function matchOf(regexp: string, name: string): Result<readonly string[], string> {
  if (regexp === '') return ok([])
  const compiled = LinearRegexp.from(regexp)
  return compiled.ok ? ok(compiled.value.groups(name)) : err(`Bad Regexp: ${compiled.error}`)
}

/** Renders all texts of a query's search in a fixed order, and keeps the first problem. */
class Rendering {
  problem: string | undefined
  readonly #meaning: Meaning
  #left = renderedCharactersMax

  constructor(meaning: Meaning) {
    this.#meaning = meaning
  }

  service(service: ServiceQuery, removeEmptyTags: boolean): ServiceQuery {
    const tags = this.#list(service.tags, 'Tags')
    const { failover, nodeMeta } = service
    return {
      ...service,
      service: this.#text(service.service, '.Service'),
      failover: { ...failover, datacenters: this.#list(failover.datacenters, 'Failover.Datacenters') },
      ignoreCheckIds: this.#list(service.ignoreCheckIds, 'IgnoreCheckIDs'),
      near: this.#text(service.near, '.Near'),
      tags: removeEmptyTags && tags !== null ? tags.filter((tag) => tag !== '') : tags,
      nodeMeta: nodeMeta?.map(([key, value]) => [key, this.#text(value, `.NodeMeta[${key}]`)] as const) ?? null,
    }
  }

  #list(texts: readonly string[] | null, name: string): readonly string[] | null {
    return texts?.map((text, at) => this.#text(text, `.${name}[${at}]`)) ?? null
  }

  #text(text: string, path: string): string {
    if (this.problem !== undefined) return ''
    const parsed = parseInterpolated(text)
    if (!parsed.ok) return this.#fail(`Bad format '${text}' in Service${path}: ${parsed.error}`)
    const rendered = renderInterpolated(parsed.value, this.#meaning, this.#left)
    if (!rendered.ok) return this.#fail(`Bad evaluation for '${text}' in Service${path}: ${rendered.error}`)
    this.#left -= rendered.value.length
    if (this.#left < 0) return this.#fail(`the rendered query has more than ${renderedCharactersMax} characters`)
    return rendered.value
  }

  #fail(problem: string): string {
    this.problem = problem
    return ''
  }
}
