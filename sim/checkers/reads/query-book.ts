/** A prepared query as a client defined it. */
export interface DefinedQuery {
  /** For a template, the prefix of the names that it answers. */
  readonly name: string
  /** Undefined: it is not a template. */
  readonly template: { readonly regexp: string; readonly removeEmptyTags: boolean } | undefined
  readonly service: string
  readonly onlyPassing: boolean
  readonly ignoredChecks: readonly string[]
  /** A node, `_agent`, `_ip`, or empty. */
  readonly near: string
  /** `!tag`: instances without the tag. */
  readonly tags: readonly string[]
  readonly nodeMeta: readonly (readonly [key: string, value: string])[]
  /** Only instances in the mesh. */
  readonly connect: boolean
  readonly nearestN: number
  readonly datacenters: readonly string[]
  /** In seconds; 0: not set. */
  readonly ttlS: number
}

/** `lost`: a change of it was not answered, and may still take effect. */
type Entry = { readonly id: string; readonly query: DefinedQuery } | 'open' | 'lost'

/** What clients have defined, as far as answers told them. */
export class QueryBook {
  readonly #byName = new Map<string, Entry>()

  began(name: string): void {
    this.#byName.set(name, 'open')
  }

  /** `now` undefined: the query was deleted. */
  ended(name: string, now: { readonly id: string; readonly query: DefinedQuery } | 'lost' | undefined): void {
    if (now === undefined) this.#byName.delete(name)
    else this.#byName.set(name, now)
  }

  entry(name: string): Entry | undefined {
    return this.#byName.get(name)
  }

  /**
   * The query with this name, or else the template with the longest prefix of it, with its placeholders filled in.
   * `unsure`: a query that could match is being changed; undefined: no query matches.
   */
  meant(name: string): { readonly id: string; readonly query: DefinedQuery } | 'unsure' | undefined {
    const beginnings = [...this.#byName].filter(([known]) => name.startsWith(known))
    beginnings.sort(([a], [b]) => b.length - a.length)
    for (const [known, entry] of beginnings) {
      if (typeof entry === 'string') return 'unsure'
      const { id, query } = entry
      if (query.template === undefined && known === name) return entry
      if (query.template !== undefined) return { id, query: filledIn(query, query.template, name) }
    }
    return undefined
  }
}

function filledIn(
  query: DefinedQuery,
  { regexp, removeEmptyTags }: NonNullable<DefinedQuery['template']>,
  name: string,
): DefinedQuery {
  const groups = new RegExp(regexp).exec(name) ?? []
  const filled = (text: string): string =>
    text
      .replaceAll(/\$\{match\((\d+)\)\}/g, (_, group: string) => groups[Number(group)] ?? '')
      .replaceAll('${name.full}', name)
      .replaceAll('${name.prefix}', query.name)
      .replaceAll('${name.suffix}', name.slice(query.name.length))
  const tags = query.tags.map(filled)
  return {
    ...query,
    service: filled(query.service),
    near: filled(query.near),
    datacenters: query.datacenters.map(filled),
    tags: removeEmptyTags ? tags.filter((tag) => tag !== '') : tags,
  }
}
