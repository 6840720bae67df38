/** A prepared query as a client has defined it. */
export interface DefinedQuery {
  /** Of a template: what the names begin with that it answers. */
  readonly name: string
  /** Undefined: it is no template. */
  readonly template: { readonly regexp: string; readonly removeEmptyTags: boolean } | undefined
  readonly service: string
  readonly onlyPassing: boolean
  readonly ignoredChecks: readonly string[]
  /** A node, `_agent`, or nothing. */
  readonly near: string
  /** `!tag`: without it. */
  readonly tags: readonly string[]
  readonly nodeMeta: readonly (readonly [key: string, value: string])[]
  /** Only instances in the mesh. */
  readonly connect: boolean
  readonly nearestN: number
  readonly datacenters: readonly string[]
  /** In seconds; 0: it says nothing. */
  readonly ttlS: number
}

/** `lost`: a change of it was not answered, and may still be carried out. */
type Entry = { readonly id: string; readonly query: DefinedQuery } | 'open' | 'lost'

/** What clients have defined, as far as they were told. */
export class QueryBook {
  readonly #byName = new Map<string, Entry>()

  began(name: string): void {
    this.#byName.set(name, 'open')
  }

  /** `now` undefined: it is gone. */
  ended(name: string, now: { readonly id: string; readonly query: DefinedQuery } | 'lost' | undefined): void {
    if (now === undefined) this.#byName.delete(name)
    else this.#byName.set(name, now)
  }

  entry(name: string): Entry | undefined {
    return this.#byName.get(name)
  }

  /**
   * What is meant by a name: the query of that name, or the template with the longest beginning of it, with its places
   * filled in. `unsure`: a query with such a name is being changed; undefined: no query has such a name.
   */
  meant(name: string): { readonly id: string; readonly query: DefinedQuery } | 'unsure' | undefined {
    const beginnings = [...this.#byName].filter(([known]) => name.startsWith(known))
    if (beginnings.some(([, entry]) => typeof entry === 'string')) return 'unsure'
    beginnings.sort(([a], [b]) => b.length - a.length)
    for (const [known, entry] of beginnings) {
      if (typeof entry === 'string') continue
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
