import { LinearRegexp } from '../../base/linear-regexp.ts'
import { err, ok, type Result } from '../../base/result.ts'
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

/** A text with placeholders. */
type Interpolated = readonly Piece[]

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string }
  /** A group of the template's regular expression. */
  | { readonly kind: 'match'; readonly group: number }

/** The values of the placeholders. */
interface Meaning {
  readonly variables: ReadonlyMap<string, string>
  /** The whole match and its groups; empty if nothing matched. */
  readonly groups: readonly string[]
}

/**
 * Parses `a-${name.suffix}-${match(1)}`. `$${` stands for a literal `${`; all other text is literal. The field's
 * language can also compute and choose; this is the part that its templates are documented with.
 */
function parseInterpolated(text: string): Result<Interpolated, string> {
  const pieces: Piece[] = []
  let literal = ''
  let at = 0
  while (at < text.length) {
    if (text.startsWith('$${', at)) {
      literal += '${'
      at += 3
    } else if (text.startsWith('${', at)) {
      const end = text.indexOf('}', at)
      if (end < 0) return err(`expected closing "}" of the interpolation at ${at + 1}`)
      const piece = parsePlace(text.slice(at + 2, end))
      if (piece === undefined) return err(`unknown interpolation ${JSON.stringify(text.slice(at, end + 1))}`)
      if (literal !== '') pieces.push({ kind: 'text', text: literal })
      pieces.push(piece)
      literal = ''
      at = end + 1
    } else {
      literal += text[at]
      at++
    }
  }
  if (literal !== '' || pieces.length === 0) pieces.push({ kind: 'text', text: literal })
  return ok(pieces)
}

function parsePlace(inside: string): Piece | undefined {
  const call = /^\s*match\(\s*(-?\d{1,9})\s*\)\s*$/.exec(inside)
  if (call !== null) return { kind: 'match', group: Number(call[1]) }
  const variable = /^\s*([a-z]+(?:\.[a-z]+)*)\s*$/.exec(inside)
  return variable?.[1] === undefined ? undefined : { kind: 'variable', name: variable[1] }
}

/** A missing group, or one without a match, is empty. Stops when the text exceeds `lengthMax`. */
function renderInterpolated(pieces: Interpolated, meaning: Meaning, lengthMax: number): Result<string, string> {
  let out = ''
  for (const piece of pieces) {
    if (out.length > lengthMax) break
    if (piece.kind === 'text') out += piece.text
    else if (piece.kind === 'match') out += meaning.groups[piece.group] ?? ''
    else {
      const value = meaning.variables.get(piece.name)
      if (value === undefined) return err(`unknown variable accessed: ${piece.name}`)
      out += value
    }
  }
  return ok(out)
}
